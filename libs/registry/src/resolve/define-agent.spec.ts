import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_AGENT_LIMITS, digestOf } from '@errand/contracts';
import { checkWorkflow } from '@errand/engine';
import { loadAgent, profileOf, thinkingWorkflow } from '../../test/agent-library.js';
import { eventually } from '../../../../test/support/eventually.js';
import { CORE, loadFolders, toolFile, writeLibrary } from '../../test/write-library.js';
import { watchRegistry } from '../live/watch-registry.js';
import type { Registry } from './registry.js';

const define = (registry: Registry, id = 'guide') => registry.define(registry.find(`agent:${id}`)!);
const agentOf = async (registry: Registry) => (await define(registry)).definition.agent!;

const script = toolFile({
  toolId: 'my:script',
  handler: { type: 'external-script', language: 'python', scriptPath: 'a.py' },
});

describe('The definition of an agent', () => {
  it('It has the profile, its limits over the defaults, and the workflow with all that it runs', async () => {
    const think = {
      ...thinkingWorkflow(),
      interfaceOutputs: { text: { dataFlowType: 'ARRAY' } },
      nodes: [
        { id: 'each', type: 'core:forEach', inputValues: { workflowId: 'deep', items: [1] } },
        { id: 'out', type: 'core:GroupOutput' },
      ],
      edges: [{ source: 'each', sourceHandle: 'results', target: 'out', targetHandle: 'text' }],
    };
    const profile = {
      displayName: 'Guide',
      instructions: 'Be brief.',
      protocol: 'tam',
      output: { type: 'object' },
      privateState: { mood: 1 },
      worldState: { weather: 'sunny' },
      backgroundTools: ['core:delay'],
    };
    const registry = await loadAgent(
      { ...profile, core_deliberation_workflow_id: 'think', limits: { maxRounds: 3, maxTokens: 9 } },
      { 'workflows/think.json': think, 'workflows/deep.json': thinkingWorkflow() },
    );
    expect(registry.problems()).toEqual([]);
    const { definition, digest } = await define(registry);
    expect(digest).toBe(digestOf(definition));
    expect(definition.agent).toMatchObject({
      agentId: 'guide',
      ...profile,
      workflowId: 'think',
      limits: { ...DEFAULT_AGENT_LIMITS, maxRounds: 3, maxTokens: 9 },
    });
    expect(Object.keys(definition.workflows!).toSorted()).toEqual(['deep', 'think']);
  });

  it('Each tool of the inventory has the digest of its own definition', async () => {
    const over = { tool_ids_inventory: ['core:echo', 'workflow:think', 'my:*', 'core:execute-python-script'] };
    const registry = await loadAgent(over, {
      'workflows/think.json': thinkingWorkflow(),
      'tools/s.tool.json': script,
      'scripts/a.py': '',
    });
    const { definition, inventory } = await define(registry);
    const ids = ['core:echo', 'core:execute-python-script', 'my:script', 'workflow:think'];
    const digests = await Promise.all(ids.map(async (id) => (await registry.define(registry.find(id)!)).digest));
    expect(definition.agent?.tools.map(({ tool, digest }) => [tool.toolId, digest])).toEqual(
      ids.map((id, index) => [id, digests[index]]),
    );
    expect(inventory?.map(({ digest }) => digest).toSorted()).toEqual(digests.toSorted());
    expect(definition.agent?.tools[0]?.tool).toMatchObject({ parameters: { type: 'object' }, kind: 'node' });
    expect(JSON.stringify(definition.agent?.tools)).not.toContain('implementation');
  });

  it('Agents that may call each other have definitions, without digests of each other', async () => {
    const registry = await loadAgent({}, { 'agents/b.json': profileOf({ id: 'b' }) });
    const { tools } = await agentOf(registry);
    expect(tools.map(({ tool, digest }) => [tool.toolId, typeof digest])).toEqual([
      ['agent:b', 'undefined'],
      ['agent:guide', 'undefined'],
      ['core:echo', 'string'],
    ]);
    await expect(define(registry, 'b')).resolves.toMatchObject({ digest: expect.any(String) });
  });

  it('A tool whose files cannot be packed is left out, until they are in order', async () => {
    const folder = writeLibrary({
      'agents/guide.json': profileOf({ tool_ids_inventory: ['my:script'] }),
      'tools/s.tool.json': script,
      'scripts/a.py': '',
    });
    const registry = await loadFolders([folder]);
    const whole = await define(registry);
    rmSync(join(folder, 'scripts/a.py'));
    expect((await agentOf(registry)).tools).toEqual([]);
    writeFileSync(join(folder, 'scripts/a.py'), 'print(1)');
    expect((await agentOf(registry)).tools).toMatchObject([{ tool: { toolId: 'my:script' } }]);
    expect((await define(registry)).digest).not.toBe(whole.digest);
  });

  it('An unchanged definition is the same object, so that its digest is made once', async () => {
    const more = { 'tools/s.tool.json': script, 'scripts/a.py': '' };
    const registry = await loadAgent({ tool_ids_inventory: ['core:*', 'my:script'] }, more);
    const first = await define(registry);
    expect(await define(registry)).toBe(first);
    expect((await Promise.all([define(registry), define(registry.snapshot())])).every((each) => each === first)).toBe(
      true,
    );
  });
});

describe('An edit of an agent', () => {
  it('The definition follows each edit of profile, workflow, tool and script', async () => {
    const files = {
      'agents/guide.json': profileOf({
        tool_ids_inventory: ['kb:search', 'my:script'],
        core_deliberation_workflow_id: 'think',
      }),
      'workflows/think.json': thinkingWorkflow(),
      'tools/a.tool.json': toolFile(),
      'tools/s.tool.json': script,
      'scripts/a.py': '',
    };
    const folder = writeLibrary(files);
    const watched = await watchRegistry({ folders: [folder], coreDir: CORE, checkWorkflow });
    try {
      const digests = [(await define(watched.registry)).digest];
      const profile = { ...files['agents/guide.json'], instructions: 'New' };
      for (const [path, content] of [
        ['agents/guide.json', JSON.stringify(profile)],
        ['workflows/think.json', JSON.stringify(thinkingWorkflow({}, 'ho'))],
        ['tools/a.tool.json', JSON.stringify(toolFile({ description: 'New' }))],
        ['scripts/a.py', 'print(1)'],
      ] as const) {
        writeFileSync(join(folder, path), content);
        await eventually(async () => !digests.includes((await define(watched.registry)).digest), `${path} is live`);
        digests.push((await define(watched.registry)).digest);
      }
      expect(new Set(digests).size).toBe(5);
    } finally {
      await watched.close();
    }
  });

  it('A broken edit of a profile keeps the last good agent', async () => {
    const folder = writeLibrary({ 'agents/guide.json': profileOf({ description: 'good' }) });
    const watched = await watchRegistry({ folders: [folder], coreDir: CORE, checkWorkflow });
    try {
      const bad = profileOf({ description: 'bad', core_deliberation_workflow_id: 'nowhere' });
      writeFileSync(join(folder, 'agents/guide.json'), JSON.stringify(bad));
      await eventually(() => watched.registry.problems().length === 1);
      expect(watched.registry.find('agent:guide')?.description).toBe('good');
    } finally {
      await watched.close();
    }
  });
});
