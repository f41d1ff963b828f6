import { DELIBERATION_INPUTS } from '@errand/contracts';
import { loadAgent, profileOf, thinkingWorkflow } from '../../test/agent-library.js';
import { load, toolFile, type Files } from '../../test/write-library.js';

/** The problems of a library whose agent has no tool because of them. */
async function problemsOf(over: object, more: Files = {}) {
  const registry = await loadAgent(over, more);
  expect(registry.find('agent:guide')).toBeUndefined();
  expect(registry.hasAgent('guide')).toBe(true);
  return registry.problems().map(({ field, message, suggestion }) => ({ field, message, suggestion }));
}

const required = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { dataFlowType: 'WILDCARD', required: true }]));

describe('The tool of an agent', () => {
  it('An agent with a deliberation workflow is a tool with the fields of its profile', async () => {
    const output = { type: 'object', properties: { city: { type: 'string' } } };
    const described = { displayName: 'Guide', description: 'Knows places', version: '2.1.0', output };
    const registry = await loadAgent(described);
    expect(registry.problems()).toEqual([]);
    expect(registry.find('agent:guide')).toMatchObject({
      toolId: 'agent:guide',
      ...described,
      kind: 'agent',
      implementation: { type: 'agent', agentId: 'guide' },
      source: 'agents/guide.json',
    });
  });

  it('An agent without description, version and output has defaults', async () => {
    expect((await loadAgent()).find('agent:guide')).toMatchObject({
      version: '1.0.0',
      displayName: 'guide',
      description: 'Asks the agent guide and returns its answer.',
      output: { type: 'string' },
    });
  });

  it('An agent without a deliberation workflow has no tool, and its limits belong to its program', async () => {
    const over = { core_deliberation_workflow_id: undefined, limits: { turns: 3 } };
    const registry = await loadAgent(over);
    expect(registry.problems()).toEqual([]);
    expect(registry.list({ kind: 'agent' })).toEqual([]);
  });

  it('Agents are in lists, in the search and in the inventories of other agents', async () => {
    const registry = await loadAgent({ description: 'Knows castles' }, { 'agents/b.json': profileOf({ id: 'b' }) });
    const ids = (filter: object) => registry.list(filter).map(({ toolId }) => toolId);
    expect(ids({ kind: 'agent' })).toEqual(['agent:b', 'agent:guide']);
    expect(ids({ q: 'castle' })).toEqual(['agent:guide']);
    expect(ids({ agent: 'guide' })).toEqual(['agent:b', 'agent:guide', 'core:echo']);
  });

  it('An inventory may name an agent, and an unknown one is reported with the nearest', async () => {
    const registry = await loadAgent({ tool_ids_inventory: ['agent:guide', 'agent:giude'] });
    expect(registry.problems()).toMatchObject([{ field: 'tool_ids_inventory[1]', suggestion: 'agent:guide' }]);
  });

  it.each(['agent', 'state', 'events', 'session', 'tools'])('The namespace %s is reserved', async (namespace) => {
    const registry = await load({ 'tools/x.tool.json': toolFile({ toolId: `${namespace}:mine` }) });
    expect(registry.problems()[0]?.message).toContain(`The namespace '${namespace}' is reserved`);
  });
});

describe('The deliberation workflow of an agent', () => {
  const think = { 'workflows/think.json': thinkingWorkflow() };

  it.each(['think', 'workflows/think.json', './workflows/think.json'])(
    'The profile may name it as %s',
    async (name) => {
      const registry = await loadAgent({ core_deliberation_workflow_id: name }, think);
      expect(registry.problems()).toEqual([]);
      expect((await registry.define(registry.find('agent:guide')!)).definition.agent?.workflowId).toBe('think');
    },
  );

  it('A workflow of a plugin can be named by its path', async () => {
    const path = 'plugins/a/workflows/think.json';
    const manifest = { 'plugins/a/plugin.yaml': 'name: a\nversion: 1.0.0\n' };
    const other = { [path]: thinkingWorkflow({}, 'other') };
    const registry = await loadAgent({ core_deliberation_workflow_id: path }, { ...think, ...manifest, ...other });
    expect((await registry.define(registry.find('agent:guide')!)).definition.agent?.workflowId).toBe('a/think');
  });

  it('An unknown workflow is a problem with the nearest id', async () => {
    await expect(problemsOf({ core_deliberation_workflow_id: 'core:deliberat' })).resolves.toEqual([
      {
        field: 'core_deliberation_workflow_id',
        message: "There is no workflow 'core:deliberat', or it has problems of its own",
        suggestion: 'core:deliberate',
      },
    ]);
  });

  it('Every input that a turn gives may be required, in any spelling of case and underscores', async () => {
    const inputs = required(...DELIBERATION_INPUTS, 'PrivateState', 'world_state', 'TOOLS_PROMPT');
    const registry = await loadAgent(
      { core_deliberation_workflow_id: 'think' },
      { 'workflows/think.json': thinkingWorkflow(inputs) },
    );
    expect(registry.problems()).toEqual([]);
  });

  it('Another required input is a problem, unless it has a default', async () => {
    const inputs = { ...required('mesage', 'zebra'), mood: { dataFlowType: 'STRING', required: true, config: { default: 'calm' } } }; // prettier-ignore
    const files = { 'workflows/think.json': thinkingWorkflow(inputs) };
    const [problem, ...others] = await problemsOf({ core_deliberation_workflow_id: 'think' }, files);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      field: 'core_deliberation_workflow_id',
      message: expect.stringContaining("requires 'mesage' (did you mean 'message'?), 'zebra', which a turn does not"),
    });
  });
});

describe('The fields of a profile', () => {
  it('An unknown limit is a problem with the nearest name', async () => {
    await expect(problemsOf({ limits: { maxRound: 3 } })).resolves.toMatchObject([
      { field: 'limits.maxRound', suggestion: 'maxRounds' },
    ]);
  });

  it('The schema of the answer must be valid', async () => {
    const [problem] = await problemsOf({ output: { type: 'txt' } });
    expect(problem).toMatchObject({ field: 'output.type' });
  });

  it('An id that cannot be part of a tool id is a problem', async () => {
    const registry = await loadAgent({ id: 'two words' });
    expect(registry.problems()).toMatchObject([{ field: 'id', message: expect.stringContaining('agent:<id>') }]);
    expect(registry.find('agent:two words')).toBeUndefined();
  });

  it.each([
    [{ limits: { maxRounds: 0 } }, 'limits.maxRounds'],
    [{ limits: { maxTokens: '9' } }, 'limits.maxTokens'],
    [{ protocol: 'xml' }, 'protocol'],
    [{ worldState: [] }, 'worldState'],
    [{ triggers: [{}] }, 'triggers[0].event'],
    [{ version: '1' }, 'version'],
  ])('The profile with %j is refused', async (over, field) => {
    const registry = await loadAgent({ ...over, core_deliberation_workflow_id: 'x' });
    expect(registry.problems().map((problem) => problem.field)).toEqual([field, 'core_deliberation_workflow_id']);
    expect(registry.hasAgent('guide')).toBe(false);
  });
});
