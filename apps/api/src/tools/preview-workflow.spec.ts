import type { NodeType, StoredWorkflow } from '@errand/contracts';
import type { Registry } from '@errand/registry';
import { ProblemError } from '../http/problem-error.js';
import { previewWorkflow } from './preview-workflow.js';

const echo: NodeType = {
  type: 'test:echo',
  description: '',
  inputs: { value: { dataFlowType: 'STRING' } },
  outputs: { value: { dataFlowType: 'STRING' } },
  run: () => ({}),
};
const registry = { nodeTypes: new Map([[echo.type, echo]]), workflows: new Map() } as unknown as Registry;
const many = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));
const nodes = (count: number) => many(count, (index) => ({ id: `node${index}`, type: echo.type }));
const edges = (count: number, target = 'node0') =>
  many(count, (index) => ({
    source: 'node1',
    sourceHandle: 'value',
    target: `${target}${index}`,
    targetHandle: 'value',
  }));
const slots = (count: number) => Object.fromEntries(many(count, (index) => [`s${index}`, { dataFlowType: 'STRING' }]));

async function refused(workflow: object): Promise<ProblemError> {
  const given = { workflowId: 'w', workflow: { nodes: [], edges: [], ...workflow } as unknown as StoredWorkflow };
  const outcome = await previewWorkflow(registry, given, async (schemas) => schemas.map(() => [])).catch(
    (error) => error,
  );
  if (outcome instanceof ProblemError) return outcome;
  throw new Error('expected a refusal');
}

describe('The preview of a workflow', () => {
  it('A workflow with thousands of problems gets the first 100 of them', async () => {
    const { more, detail } = await refused({ nodes: nodes(4_000), edges: edges(8_000, 'nod') });
    expect(more.errors).toHaveLength(100);
    expect(detail.split('\n')).toHaveLength(100);
    expect(more.errors?.[0]).toMatchObject({ path: '/workflow/edges/0/target', suggestion: 'node0' });
  });

  it('The messages about a very long name are cut', async () => {
    const inputValues = Object.fromEntries(many(200, (index) => [`other${index}`, 1]));
    const { more } = await refused({ nodes: [{ id: 'x'.repeat(300_000), type: echo.type, inputValues }] });
    expect(more.errors).toHaveLength(100);
    for (const { message } of more.errors ?? []) expect(message.length).toBeLessThanOrEqual(5_001);
  });

  it.each([
    [{ nodes: nodes(5_001) }, '/workflow/nodes', 'at most 5000 nodes, not 5001'],
    [{ edges: edges(10_001) }, '/workflow/edges', 'at most 10000 edges, not 10001'],
    [{ interfaceInputs: slots(501) }, '/workflow/interfaceInputs', 'at most 500 interfaceInputs, not 501'],
    [{ interfaceOutputs: slots(501) }, '/workflow/interfaceOutputs', 'at most 500 interfaceOutputs, not 501'],
    [
      { nodes: [{ ...nodes(1)[0], inputConnectionOrders: { value: many(10_001, String) } }] },
      '/workflow/nodes',
      'at most 10000 edge ids in inputConnectionOrders, not 10001',
    ],
  ])('The workflow %# is too large for a preview, and the error names the limit', async (workflow, path, reason) => {
    const { more, code } = await refused(workflow);
    expect({ code, status: more.status }).toEqual({ code: 'invalid_request', status: 422 });
    expect(more.errors).toEqual([{ path, message: expect.stringContaining(reason) }]);
  });

  it('A workflow as large as the limits is shown', async () => {
    const workflow: StoredWorkflow = { nodes: nodes(5_000), edges: [], interfaceInputs: slots(500) };
    const given = { workflowId: 'w', workflow };
    await expect(previewWorkflow(registry, given, async () => [])).resolves.toMatchObject({ name: 'workflow:w' });
  });
});
