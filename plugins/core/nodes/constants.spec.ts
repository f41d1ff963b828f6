import type { JsonObject } from '@errand/contracts';
import { checkWorkflow } from '@errand/engine';
import { optionsFor } from '../test/run-core-node.js';

const ITEMS = { items: [1] };

describe('Malformed constants of a workflow', () => {
  it.each<[type: string, inputs: JsonObject, slot: string, words: string]>([
    ['core:expression', { expression: '1 +' }, 'expression', 'not a CEL expression'],
    ['core:filter', { ...ITEMS, condition: 'item >' }, 'condition', 'not a CEL expression'],
    ['core:map', { ...ITEMS, expression: '(' }, 'expression', 'not a CEL expression'],
    ['core:loop', { value: 1, workflowId: 'w', until: 'value >' }, 'until', 'not a CEL expression'],
    ['core:sort', { ...ITEMS, by: 'item.' }, 'by', 'not a CEL expression'],
    ['core:group', { ...ITEMS, by: 'item.' }, 'by', 'not a CEL expression'],
    ['core:dedupe', { ...ITEMS, by: 'item.' }, 'by', 'not a CEL expression'],
    ['core:aggregate', { ...ITEMS, op: 'sum', by: 'item.' }, 'by', 'not a CEL expression'],
    ['core:regex', { text: 'a', pattern: '(' }, 'pattern', 'not a regular expression'],
    ['core:json-path', { value: 1, path: '$.[' }, 'path', 'not a JSONPath'],
  ])('The malformed constant of %s %j is reported when the workflow is loaded', (type, inputValues, slot, words) => {
    const workflow = { nodes: [{ id: 'n', type, inputValues }], edges: [] };
    expect(checkWorkflow(workflow, optionsFor())).toEqual([
      { path: `/nodes/0/inputValues/${slot}`, message: expect.stringContaining(words) },
    ]);
  });

  it.each<[type: string, inputs: JsonObject]>([
    ['core:expression', { expression: 'a + b' }],
    ['core:sort', { ...ITEMS, by: null }],
  ])('The constant of %s %j is valid', (type, inputValues) => {
    expect(checkWorkflow({ nodes: [{ id: 'n', type, inputValues }], edges: [] }, optionsFor())).toEqual([]);
  });
});
