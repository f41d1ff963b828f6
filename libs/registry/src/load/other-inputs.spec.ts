import type { JsonObject } from '@errand/contracts';
import { checkWorkflow } from '@errand/engine';
import { boxPlugin, load } from '../../test/write-library.js';
import { previewTool } from '../index.js';

const plugin = (otherInputs: string) =>
  boxPlugin(`
    inputs: { size: { dataFlowType: 'INTEGER', required: true } },
    otherInputs: ${otherInputs},
    outputs: { value: { dataFlowType: 'OBJECT' } },
    config: { label: { type: 'string' } },
    run: (inputs) => ({ value: inputs }),
  `);

const ITEM = "{ dataFlowType: 'STRING', description: 'A thing' }";

test('The tool of a node that takes inputs of any name takes parameters of any name', async () => {
  const registry = await load(plugin(ITEM));
  expect(registry.problems()).toEqual([]);
  expect(registry.find('box:pack')!.parameters).toEqual({
    type: 'object',
    properties: { size: { type: 'integer' }, label: { type: 'string' } },
    required: ['size'],
    additionalProperties: { type: 'string', description: 'A thing' },
  });
});

test('Arguments of any name are checked by the slot, and a misspelt required name is found', async () => {
  const registry = await load(plugin(ITEM));
  const problemsOf = (args: JsonObject) => registry.validate(registry.find('box:pack')!, args).problems;
  expect(problemsOf(JSON.parse('{"size": 1, "__proto__": "a", "constructor": "b"}'))).toEqual([]);
  expect(problemsOf({ size: 1, cup: 7 })).toMatchObject([
    { path: '/cup', message: "'cup' must be a string, got an integer" },
  ]);
  expect(problemsOf({ siz: 'x' })).toMatchObject([{ path: '/siz', suggestion: 'size' }]);
});

test.each([
  ['true', /box:pack/],
  ["{ dataFlowType: 'STRNG' }", /'otherInputs' of 'box:pack' has the type 'STRNG', did you mean 'STRING'/],
  ['{}', /dataFlowType/],
])('A plugin whose node type has the otherInputs %s is refused', async (otherInputs, message) => {
  const registry = await load(plugin(otherInputs));
  expect(registry.problems().map((problem) => problem.message)).toContainEqual(expect.stringMatching(message));
  expect(registry.find('box:pack')).toBeUndefined();
});

test('A workflow connects an input of any name, and the preview accepts it', async () => {
  const stored = {
    nodes: [
      { id: 'in', type: 'core:GroupInput' },
      { id: 'contact', type: 'core:object', inputValues: { kind: 'person' } },
      { id: 'adult', type: 'core:expression', inputValues: { expression: 'age >= 18' } },
      { id: 'out', type: 'core:GroupOutput' },
    ],
    edges: [
      { source: 'in', sourceHandle: 'age', target: 'adult', targetHandle: 'age' },
      { source: 'adult', sourceHandle: 'result', target: 'contact', targetHandle: 'constructor' },
      { source: 'contact', sourceHandle: 'value', target: 'out', targetHandle: 'contact' },
    ],
    interfaceInputs: { age: { dataFlowType: 'INTEGER', required: true } },
    interfaceOutputs: { contact: { dataFlowType: 'OBJECT' } },
  };
  const registry = await load({ 'workflows/contact.json': stored });
  expect(registry.problems()).toEqual([]);
  expect(previewTool('other', stored, registry, checkWorkflow)).toMatchObject({ toolId: 'workflow:other' });
  const misspelt = {
    ...stored,
    nodes: stored.nodes.map((node) => (node.id === 'adult' ? { ...node, inputValues: { expresion: '1' } } : node)),
  };
  expect(previewTool('other', misspelt, registry, checkWorkflow)).toMatchObject([
    { path: '/nodes/2/inputValues/expression', message: expect.stringContaining("did you mean 'expression'?") },
  ]);
});
