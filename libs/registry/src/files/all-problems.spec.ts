import { load, toolFile, type Files } from '../../test/write-library.js';

/** The problems of a file as `field: message`, without suggestions. */
async function problemsOf(files: Files, file: string): Promise<string[]> {
  const registry = await load(files);
  return registry
    .problems()
    .filter((problem) => problem.file.endsWith(file))
    .map(({ field, message }) => `${field}: ${message}`);
}

const script = (scriptPath: string) => ({ type: 'external-script', language: 'python', scriptPath });

describe('All problems of one file', () => {
  it('A tool file reports its wrong fields, script, schemas and capabilities together', async () => {
    const { version: _version, ...wrong } = toolFile({
      toolId: 'core:mine',
      displayNam: 'x',
      tags: 'x',
      handler: script('nowhere.py'),
      parameters: {
        properties: { a: { type: 'integr' }, b: { type: 'integer', default: 'x' }, c: { minimun: 3 } },
        required: ['d'],
      },
      output: { type: 'objct' },
      securityContext: { requiredCapabilities: ['fly'] },
    });
    const problems = await problemsOf({ 'tools/a.tool.json': wrong }, 'a.tool.json');
    for (const expected of [
      /^version: Missing field 'version'/,
      /^displayNam: Unknown field/,
      /^tags: .*got a string: "x"$/,
      /^toolId: The namespace 'core' is reserved/,
      /^handler.scriptPath: There is no script 'nowhere.py'/,
      /^parameters.properties.a.type: /,
      /^parameters.properties.b: The default does not fit: 'b' must be an integer/,
      /^parameters.properties.c.minimun: JSON Schema has no keyword 'minimun'/,
      /^parameters.required\[0\]: 'd' is required/,
      /^output.type: /,
      /^securityContext.requiredCapabilities\[0\]: The capability 'fly' is not known/,
    ])
      expect(problems).toContainEqual(expect.stringMatching(expected));
    expect(problems).toHaveLength(11);
  });

  it('A tool file with correct parameters also reports its wrong examples', async () => {
    const wrong = toolFile({ handler: script('nowhere.py'), examples: [{ arguments: { qery: 'x' } }], colour: 1 });
    expect(await problemsOf({ 'tools/a.tool.json': wrong }, 'a.tool.json')).toEqual([
      "colour: Unknown field 'colour'",
      expect.stringMatching(/^handler.scriptPath: There is no script/),
      expect.stringMatching(/^examples\[0\].arguments.query: Missing/),
      expect.stringMatching(/^examples\[0\].arguments.qery: Unknown/),
    ]);
  });

  it('A tool file reports each duplicate key', async () => {
    const text = JSON.stringify(toolFile({ handler: script('nowhere.py') })).replace(
      '{',
      '{"tags":["a"],"tags":["b"],"reuse":"never","reuse":"never",',
    );
    expect(await problemsOf({ 'tools/a.tool.json': text }, 'a.tool.json')).toEqual([
      expect.stringMatching(/the field 'tags' twice/),
      expect.stringMatching(/the field 'reuse' twice/),
      expect.stringMatching(/no script/),
    ]);
  });

  it('A plugin reports the problems of its manifest and of each tool together', async () => {
    const manifest = `name: p
version: 1.0
nodes: {entry: nodes/none}
tools:
  - {id: other:a, description: d, implementation: {type: script, language: python, scriptPath: no.py}}
  - {id: p:b, description: d, implementation: {type: node, nodeType: p:none}, parameters: {properties: {x: {type: txt}}}}
  - {id: p:c, implementation: {type: workflow, workflowId: none}}
  - {id: p:d, description: d, implementation: {type: external}, runner: gpu}
`;
    const problems = await problemsOf({ 'plugins/p/plugin.yaml': manifest }, 'plugin.yaml');
    for (const expected of [
      /^version: 'version' must be a string, got an integer: 1$/,
      /^nodes.entry: The code of the plugin cannot be loaded/,
      /^tools\[0\].id: The id 'other:a' must begin with/,
      /^tools\[0\].implementation.scriptPath: There is no script/,
      /^tools\[1\].parameters.properties.x.type: /,
      /^tools\[2\].description: Missing field/,
      /^tools\[2\].implementation.workflowId: There is no workflow 'none'/,
      /^tools\[3\].runner: /,
    ])
      expect(problems).toContainEqual(expect.stringMatching(expected));
    expect(problems).toHaveLength(8);
  });

  it('A workflow reports its wrong fields, names, values and interface together', async () => {
    const workflow = {
      nodes: [
        { id: 'in', type: 'core:GroupInput' },
        { id: 'typo', type: 'core:ech' },
        { id: 'pause', type: 'core:delay', inputValues: { ms: 'soon' }, timeoutMs: 'long' },
        { id: 'sum', type: 'core:math', inputValues: { op: 'ad', a: 1 } },
        { id: 'alone', type: 'core:echo' },
        { id: 'misspelt', type: 'core:echo', inputValue: { value: 1 } },
        { type: 'core:echo' },
      ],
      edges: [
        { source: 'in', sourceHandle: 'nothing', target: 'typo', targetHandle: 'value' },
        { source: 'in', target: 'typo', targetHandle: 'value' },
      ],
      interfaceInputs: {
        size: { dataFlowType: 'INTEGR' },
        count: { dataFlowType: 'INTEGER', config: { default: 'x' } },
      },
    };
    const problems = await problemsOf({ 'workflows/w.json': workflow }, 'w.json');
    for (const expected of [
      /^nodes\[2\].timeoutMs: .* must be an integer, got a string: "long" \(node 'pause'\)$/,
      /^nodes\[6\].id: Missing field/,
      /^edges\[1\].sourceHandle: Missing field .*\(edge of 'in' and 'typo'\)$/,
      /^nodes\[1\].type: There is no node type 'core:ech' \(node 'typo'\)$/,
      /^nodes\[2\].inputValues.ms: .*node 'pause'.*"soon"$/,
      /^nodes\[3\].inputValues.op: .*node 'sum'/,
      /^nodes\[3\].inputValues.b: .*node 'sum'.* is missing/,
      /^nodes\[4\].inputValues.value: .*node 'alone'.* is missing/,
      /^nodes\[5\].inputValue: Unknown field 'inputValue' \(node 'misspelt'\)$/,
      /^edges\[0\].sourceHandle: Unknown output 'nothing' on node 'in'/,
      /^interfaceInputs.size.dataFlowType: The type 'INTEGR' is not known/,
      /^interfaceInputs.count.config.default: .*"x"$/,
    ])
      expect(problems).toContainEqual(expect.stringMatching(expected));
    expect(problems).toHaveLength(12);
  });

  it('A workflow with wrong fields reports no problems that only follow from them', async () => {
    const workflow = {
      nodes: [
        { id: 'a', type: 5 },
        { id: 'b', type: 'core:echo', inputValues: 7 },
        { id: 'c', type: 'core:echo' },
        'd',
      ],
      edges: [
        { source: 'a', sourceHandle: 'value', target: 'c', targetHandle: 'value' },
        { source: 'd', sourceHandle: 'value', target: 'b', targetHandle: 'value' },
      ],
      interfaceInputs: { x: { dataFlowType: 1 } },
    };
    const problems = await problemsOf({ 'workflows/w.json': workflow }, 'w.json');
    expect(problems).toEqual([
      expect.stringMatching(/^nodes\[0\].type: .* got an integer: 5 \(node 'a'\)$/),
      expect.stringMatching(/^nodes\[1\].inputValues: .* got an integer: 7 \(node 'b'\)$/),
      expect.stringMatching(/^nodes\[3\]: .* got a string: "d"$/),
      expect.stringMatching(/^interfaceInputs.x.dataFlowType: /),
    ]);
  });

  it('An agent profile reports all its problems together', async () => {
    const agent = { id: 5, tool_ids_inventory: ['core:ech', 7, 'core:echo'] };
    expect(await problemsOf({ 'agents/a.json': agent }, 'a.json')).toEqual([
      expect.stringMatching(/^id: .*got an integer: 5$/),
      expect.stringMatching(/^tool_ids_inventory\[1\]: .*7$/),
      "tool_ids_inventory[0]: There is no tool 'core:ech'",
    ]);
  });

  it('The second file with the same id also reports its other problems', async () => {
    const files: Files = {
      'workflows/a.json': { id: 'same', nodes: [], edges: [] },
      'workflows/b.json': { id: 'same', nodes: [{ id: 'x', type: 'core:none' }], edges: [] },
      'agents/a.json': { id: 'same', tool_ids_inventory: [] },
      'agents/b.json': { id: 'same', tool_ids_inventory: ['no:tool'] },
    };
    expect(await problemsOf(files, 'workflows/b.json')).toHaveLength(2);
    expect(await problemsOf(files, 'agents/b.json')).toHaveLength(2);
  });
});

it.each([
  ['an unknown tag', 'description: !secret hello', /tag.*!secret/i],
  ['a tag of another program', 'description: !!python/object:os.system ls', /tag/i],
  ['a tag on a list', 'keywords: !set [a]', /tag/i],
  ['two unknown tags', 'description: !a x\nauthor: !b y', /!a.*!b/s],
  ['a key twice', 'description: a\ndescription: b', /unique/],
])('A plugin.yaml with %s is a problem and is not loaded', async (_what, line, expected) => {
  const registry = await load({
    'plugins/p/plugin.yaml': `name: p\nversion: 1.0.0\n${line}\ntools:\n- {id: p:a, description: d, implementation: {type: external}}\n`,
  });
  expect(registry.find('p:a')).toBeUndefined();
  const problems = registry.problems();
  expect(problems.every(({ line: at }) => at !== undefined && at > 2)).toBe(true);
  expect(problems.map(({ message }) => message).join('\n')).toMatch(expected);
});

it('A tool file without a version is a problem and is not loaded', async () => {
  const registry = await load({ 'tools/a.tool.json': toolFile({ version: undefined }) });
  expect(registry.problems()).toMatchObject([{ field: 'version', message: "Missing field 'version'" }]);
  expect(registry.find('kb:search')).toBeUndefined();
});

it('A file with problems defines nothing, even if parts of it are valid', async () => {
  const registry = await load({
    'tools/a.tool.json': toolFile({ colour: 1 }),
    'workflows/w.json': { nodes: [], edges: [], name: 5 },
    'agents/a.json': { id: 'a', tool_ids_inventory: [], displayName: 5 },
    'plugins/p/plugin.yaml':
      'name: p\nversion: 1.0.0\ncolour: 1\ntools: [{id: p:a, description: d, implementation: {type: external}}]\n',
  });
  expect(registry.problems()).toHaveLength(4);
  expect(registry.list().filter(({ source }) => source !== 'core')).toEqual([]);
  expect(registry.workflows.has('w')).toBe(false);
  expect(registry.agentIds()).toEqual([]);
});

it('A file that is not an object has exactly one problem', async () => {
  const files: Files = {};
  for (const [index, text] of ['[]', '5', 'null', '"x"', '{}'].entries()) {
    files[`tools/${index}.tool.json`] = text;
    files[`workflows/${index}.json`] = text;
    files[`agents/${index}.json`] = text;
    files[`plugins/${index}/plugin.yaml`] = text;
  }
  const registry = await load(files);
  for (const file of Object.keys(files)) {
    const problems = registry.problems().filter((problem) => problem.file.endsWith(file));
    expect(problems.length).toBeGreaterThan(0);
    if (!file.includes('4')) expect(problems).toHaveLength(1);
  }
});

it.each(['constructor', '__proto__', 'hasOwnProperty'])(
  'A slot of the unknown type %s accepts any value',
  async (type) => {
    const registry = await load({
      'workflows/w.json': `{
      "nodes": [{"id": "in", "type": "core:GroupInput"}, {"id": "out", "type": "core:GroupOutput"}],
      "edges": [{"source": "in", "sourceHandle": "x", "target": "out", "targetHandle": "y"}],
      "interfaceInputs": {"x": {"dataFlowType": "${type}", "config": {"default": 5}}},
      "interfaceOutputs": {"y": {"dataFlowType": "${type}"}}
    }`,
    });
    expect(registry.problems()).toEqual([]);
    expect(registry.find('workflow:w')?.parameters.properties).toEqual({ x: { default: 5 } });
  },
);

it('A file with 600 mistakes has fewer than 200 problems', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 600 }, (_item, index) => [`p${index}`, { type: 'integer', default: 'x' }]),
  );
  const registry = await load({ 'tools/a.tool.json': toolFile({ parameters: { properties } }) });
  expect(registry.problems().length).toBeLessThan(200);
});
