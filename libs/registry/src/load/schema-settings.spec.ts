import type { JsonSchema } from '@errand/contracts';
import { load } from '../../test/write-library.js';

const asking = (schema: unknown) => ({
  nodes: [
    { id: 'first', type: 'core:echo', inputValues: { value: 1 } },
    { id: 'ask', type: 'core:external', configValues: { schema } },
  ],
  edges: [],
});

test('A workflow whose answer has a schema loads', async () => {
  const schema: JsonSchema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
  const registry = await load({ 'workflows/a.json': asking(schema), 'workflows/b.json': asking(false) });
  expect(registry.problems()).toEqual([]);
  expect(registry.find('workflow:a')).toBeDefined();
});

test.each<[schema: unknown, field: string, words: RegExp]>([
  [{ type: 'objct' }, 'nodes[1].configValues.schema.type', /schema of node 'ask' \(core:external\) is invalid: /],
  [{ properties: { a: { $ref: '#/$defs/b' } } }, 'nodes[1].configValues.schema.properties.a.$ref', /node 'ask'/],
  [{ propertis: {} }, 'nodes[1].configValues.schema.propertis', /node 'ask'/],
  [{ enum: Array.from({ length: 20_000 }, (_, n) => n) }, 'nodes[1].configValues.schema', /at most 50000/],
  ['text', 'nodes[1].configValues.schema', /node 'ask' \(core:external\) must be object,boolean/],
])('A workflow with the answer schema %j is a problem with the id of its node', async (schema, field, words) => {
  const registry = await load({ 'workflows/a.json': asking(schema), 'workflows/good.json': { nodes: [], edges: [] } });
  expect(registry.problems()).toEqual([expect.objectContaining({ field, line: expect.any(Number) })]);
  expect(registry.problems()[0]!.message).toMatch(words);
  expect(registry.find('workflow:a')).toBeUndefined();
  expect(registry.find('workflow:good')).toBeDefined();
});
