import { boxPlugin, load } from '../../test/write-library.js';

const plugin = (effects: string) => boxPlugin(`inputs: {}, outputs: {}, ${effects} run: () => ({})`);

test.each(['none', 'idempotent', 'once'])('A node type may declare the effects %s', async (effects) => {
  const registry = await load(plugin(`effects: '${effects}',`));
  expect(registry.problems()).toEqual([]);
  expect(registry.nodeTypes.get('box:pack')).toMatchObject({ effects });
});

test('A node type without a declaration loads, and declares nothing', async () => {
  const registry = await load(plugin(''));
  expect(registry.problems()).toEqual([]);
  expect(registry.nodeTypes.get('box:pack')?.effects).toBeUndefined();
});

test.each([
  ["'nonne'", /'box:pack'.*'effects' must be .*none.*(did you mean|idempotent)/],
  ['false', /'box:pack'.*'effects' must be /],
  ['null', /'box:pack'.*'effects' must be /],
])('A plugin whose node type has the effects %s is refused', async (effects, message) => {
  const registry = await load(plugin(`effects: ${effects},`));
  expect(registry.problems().map((problem) => problem.message)).toContainEqual(expect.stringMatching(message));
  expect(registry.find('box:pack')).toBeUndefined();
});
