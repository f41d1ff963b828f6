import type { JsonObject, StoredWorkflow } from '@errand/contracts';
import { runCoreNode } from '../test/run-core-node.js';

const NUMBERS = Array.from({ length: 2_000 }, (_, index) => index);

/** Nodes whose inputs are large enough for a thread. */
const IN_THREAD: [string, JsonObject][] = [
  ['core:expression', { expression: 'size(n)', n: NUMBERS }],
  ['core:loop', { value: NUMBERS, workflowId: 'same', until: 'size(value) > 0' }],
  ['core:filter', { items: NUMBERS, condition: 'item > 1' }],
  ['core:map', { items: NUMBERS, expression: 'item + 1' }],
  ['core:sort', { items: NUMBERS, by: '-item' }],
  ['core:group', { items: NUMBERS, by: 'string(item)' }],
  ['core:dedupe', { items: NUMBERS, by: 'item' }],
  ['core:aggregate', { items: NUMBERS, by: 'item', op: 'sum' }],
];

/** Returns its input. */
const SAME: StoredWorkflow = {
  id: 'same',
  nodes: [
    { id: 'in', type: 'core:GroupInput' },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [{ source: 'in', sourceHandle: 'value', target: 'out', targetHandle: 'value' }],
  interfaceInputs: { value: { dataFlowType: 'WILDCARD' } },
  interfaceOutputs: { value: { dataFlowType: 'WILDCARD' } },
};

describe('The thread of a computation with an expression', () => {
  it.each(IN_THREAD)('loads CEL before the run of %s', async (type, args) => {
    const modules: string[] = [];
    const compute = async ({ module }: { module: string }) => {
      modules.push(module);
      return { isEnd: true };
    };
    // The result above does not fit most of the nodes.
    await runCoreNode(type, args, { compute, workflows: new Map([['same', SAME]]) }).catch(() => undefined);
    expect(modules).toEqual([expect.stringMatching(/expression-thread$/)]);
  });

  it('is not needed without an expression', async () => {
    const compute = async ({ module }: { module: string }) => ({ items: [module] });
    const result = await runCoreNode('core:sort', { items: NUMBERS }, { compute });
    expect(JSON.stringify(result)).toContain('compute-thread');
  });
});
