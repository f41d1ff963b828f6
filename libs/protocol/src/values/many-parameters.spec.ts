import { toolLookupOf } from '@errand/registry';
import { parse, writeAction, writeTam } from '../index.js';

const names = Array.from(
  { length: 40 },
  (_, index) => `p${'abcdefghij'.charAt(index % 10).repeat(1 + Math.floor(index / 10))}`,
);
const properties = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]));
const tools = toolLookupOf([{ toolId: 'sum', parameters: { type: 'object', properties } }]);
const COUNTS = [1, 2, 11, 12, 13, 40];

describe('The number of parameters of a call', () => {
  it.each(COUNTS)('A call with %i parameters has each value under its name in both formats', (count) => {
    const args = Object.fromEntries(names.slice(0, count).map((name, index) => [name, index]));
    const call = { toolId: 'sum', arguments: args };
    for (const text of [writeAction([call]), writeTam([call]), writeAction([call, call]), writeTam([call, call])]) {
      const { calls, errors } = parse(text, { tools });
      expect(errors).toEqual([]);
      expect(calls.every((one) => JSON.stringify(one) === JSON.stringify(call))).toBe(true);
    }
  });

  it.each(COUNTS)('A repeated parameter among %i is an error at its second place', (count) => {
    const given = names.slice(0, count).map((name, index) => `<${name}>${index}</${name}>`);
    const { calls, errors } = parse(`<ACTION>\n<sum>${given.join('')}\n<pa>7</pa></sum></ACTION>`, { tools });
    expect(calls).toEqual([]);
    expect(errors).toEqual([expect.objectContaining({ path: '/pa', line: 3, column: 1 })]);
  });
});
