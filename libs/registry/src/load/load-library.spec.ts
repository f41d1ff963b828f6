import { join } from 'node:path';
import { load, loadFolders, toolFile, writeLibrary, type Files } from '../../test/write-library.js';
import type { LibraryProblem } from '../files/library-problem.js';

/** The problems of a library with one mistake. The paths are relative to the library. */
async function problemsOf(files: Files): Promise<LibraryProblem[]> {
  const folder = writeLibrary(files);
  const registry = await loadFolders([folder]);
  return registry.problems().map((problem) => ({ ...problem, file: problem.file.replace(`${folder}/`, '') }));
}

const tool = 'tools/a.tool.json';
const node = (id: string, type: string, more: object = {}) => ({ id, type, ...more });
const workflow = (over: object = {}) => ({
  interfaceInputs: { text: { dataFlowType: 'STRING' } },
  interfaceOutputs: { value: { dataFlowType: 'STRING' } },
  nodes: [node('in', 'core:GroupInput'), node('echo', 'core:echo'), node('out', 'core:GroupOutput')],
  edges: [
    { source: 'in', sourceHandle: 'text', target: 'echo', targetHandle: 'value' },
    { source: 'echo', sourceHandle: 'value', target: 'out', targetHandle: 'value' },
  ],
  ...over,
});
const group = (id: string) =>
  workflow({ nodes: [node('g', 'NodeGroup', { configValues: { referencedWorkflowId: id } })], edges: [] });
const plugin = (tools: string) => `name: dice\nversion: 1.0.0\ntools:\n${tools}`;

const withCode = (code: string, name = 'dice') => ({
  [`plugins/${name}/plugin.yaml`]: `name: ${name}\nversion: 1.0.0\nnodes: {entry: index.js}`,
  [`plugins/${name}/index.js`]: code,
});
const nodeCode = (type: string) => `{type: '${type}', description: 'd', inputs: {}, outputs: {}, run: () => ({})}`;

describe('A mistake in a tool file', () => {
  const mistakes: [what: string, content: unknown, expected: Partial<LibraryProblem>][] = [
    [
      'an extra comma',
      '{\n  "toolId": "a:b",\n}',
      { line: 3, column: 1, message: expect.stringMatching(/not valid JSON/) },
    ],
    ['a key twice', '{\n "toolId": "a:b",\n "toolId": "a:c"}', { line: 3, message: expect.stringMatching(/unique/i) }],
    [
      'a missing field',
      '{\n "toolId": "a:b",\n "version": "1.0.0",\n "description": "x"\n}',
      { line: 1, column: 1, field: 'handler', message: "Missing field 'handler'" },
    ],
    [
      'a misspelt field',
      toolFile({ versoin: '1.0.0' }),
      { field: 'versoin', line: 22, column: 3, message: "Unknown field 'versoin'" },
    ],
    ['an id without namespace', toolFile({ toolId: 'search' }), { field: 'toolId', line: 2 }],
    [
      'an invalid version',
      toolFile({ version: '1.0' }),
      { field: 'version', line: 5, message: "'version' must be written like 1.2.0, got 1.0" },
    ],
    [
      'a reserved namespace',
      toolFile({ toolId: 'core:echo' }),
      { field: 'toolId', message: "The namespace 'core' is reserved; choose another" },
    ],
    [
      'the id of a built-in tool',
      toolFile({ toolId: 'state:read_world', version: '9.0.0' }),
      { field: 'toolId', message: "The namespace 'state' is reserved; choose another" },
    ],
    [
      'a handler of an unknown type',
      toolFile({ handler: { type: 'external-scrip' } }),
      { field: 'handler.type', suggestion: 'external-script' },
    ],
    [
      'a handler without its script path',
      toolFile({ handler: { type: 'external-script', language: 'python' } }),
      { field: 'handler.scriptPath' },
    ],
    [
      'an unknown service',
      toolFile({ handler: { type: 'service-method', serviceName: 'sistem', methodName: 'x' } }),
      { field: 'handler.serviceName', suggestion: 'system' },
    ],
    [
      'an unknown method',
      toolFile({ handler: { type: 'service-method', serviceName: 'system', methodName: 'getCurrentTim' } }),
      { field: 'handler.methodName', suggestion: 'getCurrentTime' },
    ],
    [
      'an inherited method',
      toolFile({ handler: { type: 'service-method', serviceName: 'system', methodName: 'constructor' } }),
      { field: 'handler.methodName' },
    ],
    [
      'a missing script',
      toolFile({ handler: { type: 'external-script', language: 'bun', scriptPath: 'x.ts' } }),
      { field: 'handler.scriptPath', message: "There is no script 'x.ts'" },
    ],
    [
      'a script outside the library',
      toolFile({ handler: { type: 'external-script', language: 'bun', scriptPath: '../x.ts' } }),
      { field: 'handler.scriptPath', message: expect.stringMatching(/is not allowed/) },
    ],
    [
      'wrong parameters',
      toolFile({ parameters: { properties: { q: { type: 'text' } } } }),
      { field: 'parameters.properties.q.type' },
    ],
    [
      'a default that does not fit',
      toolFile({ parameters: { properties: { q: { type: 'string', defaultValue: 1 } } } }),
      { field: 'parameters.properties.q', line: 13 },
    ],
    ['a wrong output', toolFile({ output: { type: 'text' } }), { field: 'output.type' }],
    [
      'an example that does not fit',
      toolFile({ examples: [{ arguments: { qery: 'x' } }] }),
      { field: 'examples[0].arguments.query' },
    ],
    ['an invalid limit', toolFile({ limits: { memoryMb: 0 } }), { field: 'limits.memoryMb' }],
  ];
  it.each(mistakes)('A tool file with %s is reported with file, line and field', async (_what, content, expected) => {
    const problems = await problemsOf({ [tool]: content });
    expect(problems[0]).toMatchObject({
      file: tool,
      line: expect.any(Number),
      column: expect.any(Number),
      ...expected,
    });
  });

  it('A broken tool file does not affect the others', async () => {
    const registry = await load({ [tool]: '{', 'tools/deep/er/b.tool.json': toolFile() });
    expect(registry.problems()).toHaveLength(1);
    expect(registry.find('kb:search')).toMatchObject({ source: 'tools/deep/er/b.tool.json', kind: 'service' });
  });

  it('The second of two tools with the same id and version is refused, also in another library', async () => {
    const registry = await load(
      { 'tools/a.tool.json': toolFile() },
      { 'tools/b.tool.json': toolFile({ displayName: 'Other' }) },
    );
    expect(registry.find('kb:search')!.displayName).toBe('Search');
    expect(registry.problems()).toMatchObject([
      {
        field: 'toolId',
        line: 2,
        message: "There is a tool 'kb:search' 1.0.0 already, in tools/a.tool.json; give this one another version or id",
      },
    ]);
  });
});

describe('An alias that has no effect', () => {
  const other = toolFile({ toolId: 'kb:find', aliases: ['Find'] });
  it.each([
    ['another tool also claims it', ['Find'], /'kb:find' claims it too/],
    ['it is the id of another tool', ['kb:find'], /a tool has it as its id/],
  ])('An alias is reported because %s, and its tool still loads', async (_why, aliases, message) => {
    const registry = await load({ 'tools/a.tool.json': toolFile({ aliases }), 'tools/b.tool.json': other });
    expect(registry.problems()).toContainEqual(
      expect.objectContaining({
        field: 'aliases[0]',
        line: expect.any(Number),
        message: expect.stringMatching(message),
      }),
    );
    expect(registry.find('kb:search')).toBeDefined();
  });

  it('Versions of one tool may share an alias', async () => {
    const files = { 'tools/b.tool.json': other, 'tools/c.tool.json': { ...other, version: '2.0.0' } };
    expect((await load(files)).problems()).toEqual([]);
  });
});

test('Two versions that differ only in their build are the same version', async () => {
  const files = ['1.0.0+a', '1.0.0+b'].map((version) => [`tools/${version}.tool.json`, toolFile({ version })]);
  const registry = await load(Object.fromEntries(files));
  expect(registry.problems()).toMatchObject([{ field: 'toolId', message: expect.stringMatching(/already/) }]);
  expect(registry.find('kb:search@^1')!.version).toBe('1.0.0+a');
});

describe('A mistake in a plugin', () => {
  const manifest = 'plugins/dice/plugin.yaml';

  it.each<[what: string, files: Files, expected: Partial<LibraryProblem>]>([
    [
      'invalid YAML',
      { [manifest]: 'name: dice\nversion: [1' },
      { line: expect.any(Number), message: expect.stringMatching(/cannot be read/) },
    ],
    [
      'a key twice',
      { [manifest]: 'name: dice\nversion: 1.0.0\nname: dice' },
      { line: 3, message: expect.stringMatching(/unique/i) },
    ],
    [
      'a version that YAML reads as a number',
      { [manifest]: 'name: dice\nversion: 1.0' },
      { line: 2, field: 'version' },
    ],
    [
      'a reserved name',
      { [manifest]: 'name: core\nversion: 1.0.0' },
      { line: 1, field: 'name', message: "The name 'core' is reserved; choose another" },
    ],
    [
      'a tool in a foreign namespace',
      { [manifest]: plugin('- id: kb:x\n  description: d\n  implementation: {type: external}') },
      { line: 4, column: 3, field: 'tools[0].id' },
    ],
    [
      'an unknown node type',
      { [manifest]: plugin('- id: dice:x\n  description: d\n  implementation: {type: node, nodeType: core:ecko}') },
      { line: 6, field: 'tools[0].implementation.nodeType', suggestion: 'core:echo' },
    ],
    [
      'an unknown workflow',
      { [manifest]: plugin('- id: dice:x\n  description: d\n  implementation: {type: workflow, workflowId: none}') },
      { line: 6, field: 'tools[0].implementation.workflowId' },
    ],
    [
      'a workflow by the id of its tool',
      {
        'workflows/w.json': { nodes: [], edges: [] },
        [manifest]: plugin(
          '- id: dice:x\n  description: d\n  implementation: {type: workflow, workflowId: "workflow:w"}',
        ),
      },
      { line: 6, field: 'tools[0].implementation.workflowId', suggestion: 'w' },
    ],
    [
      'a script with both kinds of path',
      {
        [manifest]: plugin(
          '- id: dice:x\n  description: d\n  implementation: {type: script, language: bun, pathFrom: argument, scriptPath: x.ts}',
        ),
      },
      { field: 'tools[0].implementation.scriptPath' },
    ],
    [
      'a script without a path',
      { [manifest]: plugin('- id: dice:x\n  description: d\n  implementation: {type: script, language: bun}') },
      { field: 'tools[0].implementation.scriptPath' },
    ],
    [
      'an unquoted text that has a comma',
      {
        [manifest]: plugin(
          '- id: dice:x\n  description: d\n  implementation: {type: external}\n' +
            '  parameters: {type: object, properties: {seed: {type: string, description: Any text, or none}}}',
        ),
      },
      {
        line: 7,
        field: 'tools[0].parameters.properties.seed.or none',
        message: "'or none' has no value; in YAML, quote a text that contains a comma",
      },
    ],
    [
      'missing code',
      { [manifest]: 'name: dice\nversion: 1.0.0\nnodes: {entry: nodes/index.js}' },
      { line: 3, message: expect.stringMatching(/has no module/) },
    ],
    [
      'code outside the plugin',
      { [manifest]: 'name: dice\nversion: 1.0.0\nnodes: {entry: ../x.js}' },
      { line: 3, message: expect.stringMatching(/inside the plugin/) },
    ],
  ])('A plugin with %s is reported with file, line and field', async (_what, files, expected) => {
    expect((await problemsOf(files))[0]).toMatchObject({ file: manifest, ...expected });
  });

  it.each([
    ["throw new Error('no dice')", /cannot be loaded: no dice/],
    ['module.exports = {}', /must export 'nodes', 'services' or both/],
    ["module.exports = {nodes: [{type: 'dice:x'}]}", /node type 'dice:x' has no 'description'/],
    [
      "module.exports = {nodes: [{type: 'dice:x', description: 'd', inputs: {}, outputs: {}}]}",
      /has no function 'run'/,
    ],
    ["module.exports = {services: [{name: 's', methods: {a: 1}}]}", /must have 'methods' that are functions/],
  ])('The broken code %s disables only its own plugin', async (code, message) => {
    const registry = await load({ ...withCode(code), 'tools/a.tool.json': toolFile() });
    expect(registry.problems()).toEqual([
      expect.objectContaining({ line: 3, field: 'nodes.entry', message: expect.stringMatching(message) }),
    ]);
    expect(registry.find('kb:search')).toBeDefined();
  });

  it('A node type in a foreign namespace is omitted, and the others load', async () => {
    const registry = await load(
      withCode(`module.exports = {nodes: [${nodeCode('core:echo')}, ${nodeCode('dice:roll')}]}`),
    );
    expect(registry.problems()).toMatchObject([{ message: expect.stringMatching(/'core:echo' is left out/) }]);
    expect(registry.nodeTypes.has('dice:roll')).toBe(true);
    expect(registry.nodeTypes.get('core:echo')!.inputs).toHaveProperty('value');
  });

  it('A service with the name of another plugin is omitted, in any order of loading', async () => {
    const service = "exports.services = [{name: 'vault', methods: {open: () => 1}}]";
    const registry = await load({
      ...withCode(service, 'a'),
      ...withCode(service, 'vault'),
      ...withCode(service, 'z'),
    });
    expect(registry.problems()).toMatchObject([
      {
        file: expect.stringMatching(/\/a\/plugin.yaml$/),
        message: expect.stringMatching(/belongs to the plugin 'vault'/),
      },
      {
        file: expect.stringMatching(/\/z\/plugin.yaml$/),
        message: expect.stringMatching(/belongs to the plugin 'vault'/),
      },
    ]);
    expect([...registry.services.keys()]).toContain('vault');
  });

  it('The second plugin with the same name is refused', async () => {
    const folders = [writeLibrary(withCode('exports.nodes = []')), writeLibrary(withCode('exports.nodes = []'))];
    const registry = await loadFolders(folders);
    expect(registry.problems()).toMatchObject([
      { file: join(folders[1]!, 'plugins/dice/plugin.yaml'), line: 1, field: 'name' },
    ]);
  });
});

describe('A valid plugin', () => {
  it('A plugin provides tools of every kind', async () => {
    const registry = await load({
      'plugins/dice/plugin.yaml': plugin(`
  - {id: dice:node, description: d, implementation: {type: node, nodeType: core:hash}}
  - {id: dice:flow, description: d, implementation: {type: workflow, workflowId: workflows/own.json}}
  - {id: dice:same, description: d, implementation: {type: workflow, workflowId: own}}
  - {id: dice:time, description: d, implementation: {type: service, serviceName: system, methodName: getCurrentTime}}
  - {id: dice:script, description: d, implementation: {type: script, language: python, scriptPath: run.py}}
  - {id: dice:ask, description: d, implementation: {type: external, timeoutMs: 1000}, version: 2.0.0}
`),
      'plugins/dice/workflows/own.json': workflow(),
      'plugins/dice/scripts/run.py': 'print(1)',
    });
    expect(registry.problems()).toEqual([]);
    expect(registry.list({ namespace: 'dice' }).map(({ toolId, kind, version }) => [toolId, kind, version])).toEqual([
      ['dice:ask', 'external', '2.0.0'],
      ['dice:flow', 'workflow', '1.0.0'],
      ['dice:node', 'node', '1.0.0'],
      ['dice:same', 'workflow', '1.0.0'],
      ['dice:script', 'script', '1.0.0'],
      ['dice:time', 'service', '1.0.0'],
    ]);
    expect(registry.find('dice:flow')!.implementation).toEqual({ type: 'workflow', workflowId: 'own' });
    expect(registry.find('dice:script')!.implementation).toMatchObject({ scriptsDir: 'plugins/dice/scripts' });
    // Undeclared parameters come from the node or the workflow.
    expect(registry.find('dice:node')!.parameters.required).toEqual(['text']);
    expect(registry.find('dice:flow')!.parameters.properties).toEqual({ text: { type: 'string' } });
    expect(registry.find('workflow:own')).toBeUndefined();
  });
});

describe('The workflows of a library', () => {
  it('A workflow becomes a tool by its own id or by its file name', async () => {
    const registry = await load({
      'workflows/a/plain.json': workflow(),
      'workflows/b.json': workflow({ id: 'named', name: 'Named', description: 'Does it' }),
    });
    expect(registry.problems()).toEqual([]);
    expect(registry.find('workflow:plain')).toMatchObject({ kind: 'workflow', source: 'workflows/a/plain.json' });
    expect(registry.find('workflow:named')).toMatchObject({
      displayName: 'Named',
      description: 'Does it',
      version: '1.0.0',
    });
  });

  it.each<[what: string, slot: object, expected: Partial<LibraryProblem>]>([
    [
      'a misspelt type',
      { dataFlowType: 'string' },
      { field: 'interfaceInputs.text.dataFlowType', suggestion: 'STRING' },
    ],
    [
      'a default outside its choices',
      { dataFlowType: 'STRING', matchCategories: ['ComboOption'], config: { suggestions: ['a'], default: 'b' } },
      { field: 'interfaceInputs.text', line: expect.any(Number) },
    ],
  ])('A workflow interface with %s is reported by its own field names', async (_what, text, expected) => {
    const problems = await problemsOf({ 'workflows/w.json': workflow({ interfaceInputs: { text } }) });
    expect(problems).toEqual([expect.objectContaining(expected)]);
  });

  it.each<[what: string, files: Files, expected: Partial<LibraryProblem>]>([
    [
      'an edge to an unknown node',
      {
        'workflows/w.json': workflow({
          edges: [{ source: 'in', sourceHandle: 'text', target: 'ecko', targetHandle: 'value' }],
        }),
      },
      { file: 'workflows/w.json', field: 'edges[0].target', suggestion: 'echo', line: expect.any(Number) },
    ],
    ['no nodes', { 'workflows/w.json': { edges: [] } }, { field: 'nodes', message: "Missing field 'nodes'" }],
    [
      'an unknown group',
      { 'workflows/w.json': group('other') },
      { field: 'nodes[0].configValues.referencedWorkflowId' },
    ],
    [
      'groups that contain each other',
      { 'workflows/a.json': group('b'), 'workflows/b.json': group('a') },
      { message: expect.stringMatching(/contain each other: a → b → a/) },
    ],
    [
      'a duplicate id',
      { 'workflows/a.json': workflow({ id: 'x' }), 'workflows/b.json': workflow({ id: 'x' }) },
      { file: 'workflows/b.json', field: 'id' },
    ],
  ])('A workflow with %s is a problem', async (_what, files, expected) => {
    expect((await problemsOf(files))[0]).toMatchObject(expected);
  });

  it('A workflow that contains a broken workflow cannot run and names it', async () => {
    const registry = await load({
      'workflows/a.json': group('b'),
      'workflows/b.json': group('c'),
      'workflows/c.json': workflow({ nodes: [node('x', 'core:none')], edges: [] }),
    });
    expect([...registry.workflows.keys()]).toEqual(['core:deliberate']);
    expect(registry.problems().map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        "The workflow 'b' contains the workflow 'c', which cannot run (node 'g')",
        "The workflow 'a' contains the workflow 'b', which cannot run (node 'g')",
      ]),
    );
  });
});

describe('Workflows that nodes name', () => {
  const loop = (id: string) => ({
    nodes: [node('each', 'core:forEach', { inputValues: { workflowId: id, items: [1] } })],
    edges: [],
  });

  it('A workflow that a node names is packed with its caller', async () => {
    const registry = await load({
      'workflows/a.json': loop('b'),
      'workflows/b.json': workflow(),
      'plugins/dice/plugin.yaml': plugin(
        '- {id: dice:each, description: d, implementation: {type: node, nodeType: core:forEach}}',
      ),
    });
    expect(registry.problems()).toEqual([]);
    const { definition } = await registry.define(registry.find('workflow:a')!);
    expect(Object.keys(definition.workflows!)).toEqual(['a', 'b']);
    const each = registry.find('dice:each')!;
    const called = await registry.define(each, { workflowId: 'a', items: [] });
    expect(Object.keys(called.definition.workflows!)).toEqual(['a', 'b']);
    expect((await registry.define(each)).definition.workflows).toBeUndefined();
  });

  it('A workflow that a node names must exist and may not lead back', async () => {
    const missing = await problemsOf({ 'workflows/a.json': loop('bee'), 'workflows/be.json': workflow() });
    expect(missing).toMatchObject([
      { field: 'nodes[0].inputValues.workflowId', line: expect.any(Number), suggestion: 'be' },
    ]);
    const files = { 'workflows/a.json': loop('b'), 'workflows/b.json': group('a'), 'workflows/c.json': loop('c') };
    const registry = await load(files);
    expect([...registry.workflows.keys()]).toEqual(['core:deliberate']);
    for (const id of ['a', 'b', 'c']) {
      const ofFile = registry.problems().filter(({ file }) => file.endsWith(`${id}.json`));
      expect(ofFile).toMatchObject([{ field: expect.stringMatching(/^nodes\[0\]/) }]);
    }
  });
});

test('An agent with an unknown tool keeps its other tools', async () => {
  const files = {
    'agents/a.json': { id: 'a', tool_ids_inventory: ['core:ecko', 'core:math@^1', 'Find', 'system:*'] },
    'tools/f.tool.json': toolFile({ toolId: 'kb:search', aliases: ['Find'] }),
  };
  expect(await problemsOf(files)).toMatchObject([
    { file: 'agents/a.json', field: 'tool_ids_inventory[0]', suggestion: 'core:echo', line: 4 },
    { field: 'tool_ids_inventory[1]', suggestion: 'core:math' },
    { field: 'tool_ids_inventory[2]', suggestion: 'kb:search' },
  ]);
  expect((await load(files)).hasAgent('a')).toBe(true);
});

test('A missing library folder is a problem, and the core tools still load', async () => {
  const registry = await loadFolders(['/nowhere/at/all']);
  expect(registry.problems()).toEqual([{ file: '/nowhere/at/all', message: 'The library folder does not exist' }]);
  expect(registry.find('core:echo')).toMatchObject({ kind: 'node', source: 'core' });
});

test('Two loads share the tools and node types of the built-in plugin, which is read once', async () => {
  const [one, other] = await Promise.all([load({}), load({ [tool]: toolFile() })]);
  expect(one.find('core:math')).toBeDefined();
  expect(other.find('core:math')).toBe(one.find('core:math'));
  expect(other.nodeTypes.get('core:math')).toBe(one.nodeTypes.get('core:math'));
  expect([one.find('kb:search'), other.find('kb:search')]).toEqual([undefined, expect.anything()]);
});
