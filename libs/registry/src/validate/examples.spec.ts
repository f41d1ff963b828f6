import { join } from 'node:path';
import { checkWorkflow, resultOf, runWorkflow, workflowOfNode } from '@errand/engine';
import { loadRegistry, type Registry } from '../resolve/registry.js';

const root = join(__dirname, '../../../..');
let registry: Registry;

beforeAll(async () => {
  registry = await loadRegistry({
    folders: [join(root, 'examples')],
    coreDir: join(root, 'plugins/core'),
    checkWorkflow,
  });
});

const run = (workflow: Parameters<typeof runWorkflow>[0], inputs: Parameters<typeof runWorkflow>[1]) =>
  runWorkflow(workflow, inputs, {
    nodeTypes: registry.nodeTypes,
    workflows: registry.workflows,
    invocationId: 'inv_test',
    callTool: () => Promise.reject(new Error('no tool is called here')),
  }).then(resultOf);

test('The examples and the core plugin load without problems', () => {
  expect(registry.problems()).toEqual([]);
  expect(registry.agentIds()).toEqual(['calculator', 'demo']);
  const ids = registry.list().map(({ toolId }) => toolId);
  expect(ids).toEqual(
    expect.arrayContaining(['core:echo', 'dice:roll', 'system:get_current_time', 'text:analyze', 'workflow:greet']),
  );
});

test.each([
  ['fetch url', 'core:http'],
  ['uppercase', 'core:case'],
  ['unique values', 'core:dedupe'],
  ['concatenate strings', 'core:join'],
  ['sum of a list', 'core:aggregate'],
  ['ask a human for approval', 'core:external'],
])('A search for "%s" finds %s among the first results', (words, toolId) => {
  const first = registry.search(words).slice(0, 4);
  expect(first.map((tool) => tool.toolId)).toContain(toolId);
});

test('The example workflow `greet` runs three nodes', async () => {
  const tool = registry.find('workflow:greet')!;
  const { arguments: args, problems } = registry.validate(tool, { name: 'ada lovelace' });
  expect(problems).toEqual([]);
  expect(await run(registry.workflows.get('greet')!, args)).toBe('Hello, Ada Lovelace');
  const choice = 'greeting';
  expect(registry.validate(tool, { name: 'Ada', [choice]: 'welcom' }).problems).toEqual([
    { path: `/${choice}`, message: `'${choice}' must be one of hello, welcome, "good morning"`, suggestion: 'welcome' },
  ]);
});

test('Dice with the same seed give the same result, which fits the output schema', async () => {
  const tool = registry.find('dice:roll')!;
  const { arguments: args } = registry.validate(tool, { count: 3, seed: 'x' });
  const workflow = workflowOfNode(registry.nodeTypes.get('dice:roll')!, args);
  const result = await run(workflow, {});
  expect(await run(workflow, {})).toEqual(result);
  expect(registry.validateOutput(tool, result)).toEqual([]);
});

test('The example scripts are packed with their folders', async () => {
  const { definition } = await registry.define(registry.find('text:analyze')!);
  expect(definition.script).toMatchObject({ language: 'python', entry: 'main.py' });
  expect(definition.script!.files.map(({ path }) => path)).toEqual(['main.py', 'words.py']);
  const hello = await registry.define(registry.find('core:execute-bun-script')!, { scriptPath: 'hello.ts' });
  expect(hello.definition.script!.files.map(({ path }) => path)).toEqual(['hello.py', 'hello.ts']);
});

test('The demo agent sees only the tools of its inventory', () => {
  expect(registry.find('text:slugify', { agent: 'demo' })).toBeDefined();
  expect(registry.find('core:execute-python-script', { agent: 'demo' })).toBeUndefined();
});
