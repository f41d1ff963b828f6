import type { StoredWorkflow } from '@errand/contracts';
import { load } from '../test/write-library.js';

const manifest = (name: string) => `name: ${name}
version: 1.0.0
tools:
  - {id: ${name}:cheer, description: d, implementation: {type: workflow, workflowId: cheer}}
  - {id: ${name}:same, description: d, implementation: {type: workflow, workflowId: workflows/cheer.json}}`;

const cheer = (says: string): StoredWorkflow => ({
  interfaceOutputs: { value: { dataFlowType: 'STRING' } },
  nodes: [
    { id: 'say', type: 'core:echo', inputValues: { value: says } },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [{ source: 'say', sourceHandle: 'value', target: 'out', targetHandle: 'value' }],
});

/** Names `cheer` in both ways in which a workflow can name another. */
const naming: StoredWorkflow = {
  nodes: [
    { id: 'each', type: 'core:forEach', inputValues: { workflowId: 'cheer', items: [1] } },
    { id: 'group', type: 'core:NodeGroup', configValues: { referencedWorkflowId: 'cheer' } },
  ],
  edges: [],
};

const files = {
  'workflows/cheer.json': cheer('library'),
  'plugins/a/plugin.yaml': manifest('a'),
  'plugins/a/workflows/cheer.json': cheer('a'),
  'plugins/b/plugin.yaml': manifest('b'),
  'plugins/b/workflows/cheer.json': cheer('b'),
  'plugins/b/workflows/naming.json': naming,
};

describe('workflows of plugins that are called like others', () => {
  it('bear the name of their plugin, for which the bare name means its own', async () => {
    const registry = await load(files);
    expect(registry.problems()).toEqual([]);
    const said = ['workflow:cheer', 'a:cheer', 'a:same', 'b:cheer', 'b:same'].map((toolId) => {
      const { implementation } = registry.find(toolId)!;
      const { workflowId } = implementation as { workflowId: string };
      return [workflowId, registry.workflows.get(workflowId)!.nodes[0]!.inputValues!.value];
    });
    const own = (name: string) => [`${name}/cheer`, name];
    expect(said).toEqual([['cheer', 'library'], own('a'), own('a'), own('b'), own('b')]);
  });

  it('are named so by the other workflows of their plugin', async () => {
    const [each, group] = (await load(files)).workflows.get('naming')!.nodes;
    expect(each!.inputValues!.workflowId).toBe('b/cheer');
    expect(group!.configValues!.referencedWorkflowId).toBe('b/cheer');
  });

  it('are refused where one plugin has two of one name', async () => {
    const registry = await load({ ...files, 'plugins/b/workflows/more/cheer.json': cheer('again') });
    expect(registry.problems()).toMatchObject([
      { file: expect.stringMatching(/plugins\/b\/workflows\/more\/cheer.json$/), field: 'id' },
    ]);
  });
});
