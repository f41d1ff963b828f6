import type { StoredEdge, StoredNode, StoredWorkflow } from '@errand/contracts';
import { checkWorkflow, runWorkflow } from '@errand/engine';
import { optionsFor } from '../test/run-core-node.js';

/** A workflow of core nodes with the output `result`. */
function workflow(
  nodes: StoredNode[],
  edges: [source: string, out: string, target: string, into: string][],
): StoredWorkflow {
  return {
    nodes: [...nodes, { id: 'out', type: 'core:GroupOutput' }],
    edges: edges.map(([source, sourceHandle, target, targetHandle]): StoredEdge => ({
      source,
      sourceHandle,
      target,
      targetHandle,
    })),
    interfaceOutputs: { result: { dataFlowType: 'WILDCARD' } },
  };
}

const run = (stored: StoredWorkflow) => runWorkflow(stored, {}, optionsFor());

const divide = (b: number): StoredNode => ({
  id: 'divide',
  type: 'core:math',
  inputValues: { op: 'divide', a: 6, b },
});

describe('Branches of a workflow', () => {
  it.each([
    [true, 'YES'],
    [false, 'no'],
  ])('core:if on %s takes one branch, and core:join merges the branches', async (condition, result) => {
    const stored = workflow(
      [
        { id: 'if', type: 'core:if', inputValues: { condition, value: condition ? 'yes' : 'NO' } },
        { id: 'loud', type: 'core:case', inputValues: { style: 'upper' } },
        { id: 'soft', type: 'core:case', inputValues: { style: 'lower' } },
        { id: 'join', type: 'core:join' },
      ],
      [
        ['if', 'true', 'loud', 'text'],
        ['if', 'false', 'soft', 'text'],
        ['loud', 'text', 'join', 'parts'],
        ['soft', 'text', 'join', 'parts'],
        ['join', 'text', 'out', 'result'],
      ],
    );
    await expect(run(stored)).resolves.toEqual({ result });
  });

  it('core:switch has an output for each of its cases and no others', () => {
    const stored = workflow(
      [{ id: 's', type: 'core:switch', configValues: { cases: ['red', 2] }, inputValues: { key: 'red' } }],
      [['s', 'red', 'out', 'result']],
    );
    expect(checkWorkflow(stored, optionsFor())).toEqual([]);
    const wrong = workflow(stored.nodes.slice(0, 1), [['s', 'blue', 'out', 'result']]);
    expect(checkWorkflow(wrong, optionsFor())).toEqual([
      expect.objectContaining({ message: expect.stringContaining("it has '2', 'red', 'default'") }),
    ]);
    const nameless = workflow([{ ...stored.nodes[0]!, configValues: { cases: [{ name: 'red' }] } }], []);
    expect(checkWorkflow(nameless, optionsFor())).toEqual([
      expect.objectContaining({ path: '/nodes/0/configValues/cases/0' }),
    ]);
  });

  it.each([
    [2, 3],
    [0, 'none'],
  ])('core:try after a division by %s returns %s', async (divisor, result) => {
    const stored = workflow(
      [divide(divisor), { id: 'try', type: 'core:try', inputValues: { fallback: 'none' } }],
      [
        ['divide', 'result', 'try', 'value'],
        ['try', 'value', 'out', 'result'],
      ],
    );
    await expect(run(stored)).resolves.toEqual({ result });
  });

  it('core:try outputs the error', async () => {
    const stored = workflow(
      [
        divide(0),
        { id: 'try', type: 'core:try', inputValues: { fallback: 0 } },
        { id: 'message', type: 'core:json-path', inputValues: { path: '$.message' } },
      ],
      [
        ['divide', 'result', 'try', 'value'],
        ['try', 'error', 'message', 'value'],
        ['message', 'value', 'out', 'result'],
      ],
    );
    await expect(run(stored)).resolves.toEqual({ result: "Node 'divide' (core:math) failed: division by zero" });
  });

  it('core:try without a fallback catches a failure', async () => {
    const stored = workflow(
      [divide(0), { id: 'try', type: 'core:try' }],
      [
        ['divide', 'result', 'try', 'value'],
        ['try', 'value', 'out', 'result'],
      ],
    );
    await expect(run(stored)).resolves.toEqual({ result: null });
  });

  it('core:try fails if its fallback fails', async () => {
    const stored = workflow(
      [divide(0), { id: 'try', type: 'core:try' }],
      [
        ['divide', 'result', 'try', 'value'],
        ['divide', 'result', 'try', 'fallback'],
      ],
    );
    await expect(run(stored)).rejects.toMatchObject({ type: 'NodeError', details: { nodeId: 'try' } });
  });
});
