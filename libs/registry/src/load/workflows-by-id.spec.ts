import type { StoredWorkflow } from '@errand/contracts';
import { load } from '../../test/write-library.js';

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

/** Refers to `cheer` in both possible ways. */
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

describe('Workflows with the same name in several plugins', () => {
  it("A plugin workflow has the prefix of its plugin, and its bare name means the plugin's own workflow", async () => {
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

  it('Workflows of a plugin refer to its other workflows by the prefixed name', async () => {
    const [each, group] = (await load(files)).workflows.get('naming')!.nodes;
    expect(each!.inputValues!.workflowId).toBe('b/cheer');
    expect(group!.configValues!.referencedWorkflowId).toBe('b/cheer');
  });

  it('Two workflows with one name in the same plugin are refused', async () => {
    const registry = await load({ ...files, 'plugins/b/workflows/more/cheer.json': cheer('again') });
    expect(registry.problems()).toMatchObject([
      { file: expect.stringMatching(/plugins\/b\/workflows\/more\/cheer.json$/), field: 'id' },
    ]);
  });
});
