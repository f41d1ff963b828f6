import type { JsonObject } from '@errand/contracts';
import { runCoreNode } from '../test/run-core-node.js';

describe('core:object', () => {
  it.each(['{}', '{"b":1,"a":null,"c":[{}]}', '{"__proto__":{"a":1},"constructor":2,"prototype":3}', '{"":0,"a b":1}'])(
    'It returns its inputs %s in their order',
    async (text) => {
      const args: JsonObject = JSON.parse(text);
      expect(JSON.stringify(await runCoreNode('core:object', args))).toBe(text);
      expect(Object.prototype).not.toHaveProperty('a');
    },
  );
});

describe('core:expression with values under names of their own', () => {
  const evaluate = (expression: string, values: JsonObject) =>
    runCoreNode('core:expression', { expression, ...values });

  it.each<[expression: string, values: JsonObject, result: unknown]>([
    ['a + b', { a: 1, b: 2 }, 3],
    ['a + b', { a: 1, data: { a: 10, b: 20 } }, 21],
    ["data['odd name'] + data['b']", { 'odd name': 1, data: { b: 2 } }, 3],
    ['has(data.a)', { b: 1 }, false],
    ["data['__proto__']", JSON.parse('{"__proto__": 7}'), 7],
    ['list', { list: [1] }, [1]],
    ['size(l)', { l: Array.from({ length: 5_000 }, (_, index) => index), 'core:computation': 'core:hash' }, 5_000],
  ])('%s with %j is %j', async (expression, values, result) => {
    await expect(evaluate(expression, values)).resolves.toEqual(result);
  });

  it('A name that nothing has is an error that lists the known names', async () => {
    await expect(evaluate('missing', { total: 1 })).rejects.toThrow(/the known names are: data, total/);
  });
});
