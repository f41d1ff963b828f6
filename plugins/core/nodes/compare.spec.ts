import type { Json } from '@errand/contracts';
import { runCoreNode } from '../test/run-core-node.js';

const compare = (a: Json, op: string, b: Json) => runCoreNode('core:compare', { a, op, b });

const parsed = (text: string): Json => JSON.parse(text);

describe('core:compare', () => {
  it.each<[a: Json, op: string, b: Json, result: boolean]>([
    [1, 'eq', 1.0, true],
    [0, 'eq', -0, true],
    [1, 'eq', '1', false],
    [null, 'eq', null, true],
    [null, 'eq', false, false],
    [null, 'ne', 0, true],
    [{ a: 1, b: [1, { c: null }] }, 'eq', { b: [1, { c: null }], a: 1 }, true],
    [{ a: 1 }, 'eq', { a: 1, b: null }, false],
    [{ a: null }, 'eq', { b: null }, false],
    [[1, 2], 'eq', [2, 1], false],
    [[], 'eq', {}, false],
    [{}, 'eq', [], false],
    [['a'], 'eq', { 0: 'a' }, false],
    [{ 0: 'a' }, 'eq', ['a'], false],
    [parsed('{"__proto__": 1}'), 'eq', {}, false],
    [{}, 'eq', parsed('{"__proto__": 1}'), false],
    [parsed('{"__proto__": {"a": 1}}'), 'eq', parsed('{"__proto__": {"a": 1}}'), true],
    [{ constructor: 1 }, 'eq', { toString: 1 }, false],
    [1, 'lt', 2, true],
    [2, 'le', 2, true],
    [10, 'gt', 9, true],
    [-1, 'ge', 0, false],
    ['10', 'lt', '9', true],
    ['a', 'ge', 'a', true],
    ['B', 'gt', 'a', false],
    ['', 'lt', 'a', true],
    ['Errand', 'contains', 'rand', true],
    ['Errand', 'contains', '', true],
    [[1, [2]], 'contains', [2], true],
    [[1, 2], 'contains', '1', false],
    [[null], 'contains', null, true],
    [{ name: null }, 'contains', 'name', true],
    [{}, 'contains', 'toString', false],
    [{}, 'contains', '__proto__', false],
    ['rand', 'in', 'Errand', true],
    [2, 'in', [1, 2], true],
    ['a', 'in', { b: 1 }, false],
  ])('%j %s %j is %s', async (a, op, b, result) => {
    await expect(compare(a, op, b)).resolves.toBe(result);
  });

  it.each<[a: Json, op: string, b: Json, message: string]>([
    [1, 'lt', '2', "'lt' compares two numbers or two texts, got a number in 'a' and a text in 'b'"],
    [null, 'ge', 1, "'ge' compares two numbers or two texts, got null in 'a' and a number in 'b'"],
    [true, 'gt', false, "'gt' compares two numbers or two texts, got a boolean in 'a' and a boolean in 'b'"],
    [[1], 'le', [2], "'le' compares two numbers or two texts, got a list in 'a' and a list in 'b'"],
    [{}, 'lt', {}, "'lt' compares two numbers or two texts, got an object in 'a' and an object in 'b'"],
    [7, 'contains', 7, "'a' must be a text, a list or an object to search in, got a number"],
    ['a', 'in', null, "'b' must be a text, a list or an object to search in, got null"],
    ['a1', 'contains', 1, "'b' must be a text to search for in a text, got a number"],
    [1, 'in', { 1: true }, "'a' must be a text to search for in an object, got a number"],
    [1, 'equals', 1, "'op' must be one of eq, ne, lt, le, gt, ge, contains, in, got 'equals'"],
    [1, '__proto__', 1, "'op' must be one of eq, ne, lt, le, gt, ge, contains, in, got '__proto__'"],
  ])('%j %s %j is refused with a message that names the input', async (a, op, b, message) => {
    await expect(compare(a, op, b)).rejects.toMatchObject({
      type: 'ParameterValidationError',
      message: expect.stringContaining(message),
    });
  });
});
