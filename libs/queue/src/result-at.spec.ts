import { readerOfValue } from './read-result.js';
import { resultAt, valueAtPointer } from './result-at.js';

describe('valueAtPointer', () => {
  const value = { 'a/b': [1, { '~': null }], '': 5 };

  it.each([
    ['', value],
    ['/', 5],
    ['/a~1b/0', 1],
    ['/a~1b/1/~0', null],
  ])('The pointer %j leads to its value', (pointer, found) => {
    expect(valueAtPointer(value, pointer)).toEqual(found);
  });

  it.each(['/a~1b/2', '/a~1b/01', '/a~1b/-', '/a~1b/length', '/constructor', '//', 'a~1b', '/a~1b/0/x'])(
    'The pointer %j leads nowhere',
    (pointer) => {
      expect(valueAtPointer(value, pointer)).toBeUndefined();
    },
  );
});

describe('resultAt', () => {
  const [first, second] = [readerOfValue({ a: 1 }), readerOfValue('text')];

  it('A path of one step begins in its result', async () => {
    expect(await (await resultAt([first], '/a'))?.whole()).toBe(1);
    expect(await resultAt([first], '/0')).toBeUndefined();
    expect(await resultAt([undefined], '')).toBeUndefined();
  });

  it('A path of several steps begins with the number of the step', async () => {
    expect(await resultAt([first, second], '/1')).toBe(second);
    expect(await (await resultAt([first, undefined], '/0/a'))?.whole()).toBe(1);
    expect(await resultAt([first, undefined], '/1')).toBeUndefined();
    expect(await resultAt([first, second], '/2')).toBeUndefined();
    expect(await (await resultAt([first, undefined], ''))?.whole()).toEqual([{ a: 1 }, null]);
  });
});
