import { preferredWait, valueAt, waitSeconds } from './read-parameter.js';

describe('Prefer: wait', () => {
  it.each([
    ['wait=20', '20'],
    ['respond-async, wait=20', '20'],
    ['respond-async;wait=20;x', '20'],
    ['WAIT=20', '20'],
    ['wait = 20', '20'],
    ['wait="20"', '20'],
    ['await=20', undefined],
    ['note="wait"', undefined],
    ['', undefined],
  ])('%s asks for %s', (header, seconds) => {
    expect(preferredWait(header)).toBe(seconds);
  });

  it.each([
    ['5', 5],
    ['0.5', 0.5],
    ['61', 60],
    ['99999999999999999999', 60],
  ])('%s is %d s at the most', (text, seconds) => {
    expect(waitSeconds(text, 60)).toBe(seconds);
  });

  it.each(['', '-1', '1e3', 'NaN', '0x10', ' 1'])('%j is refused', (text) => {
    expect(() => waitSeconds(text, 60)).toThrow(/number of seconds/);
  });
});

describe('a JSON Pointer', () => {
  const value = { 'a/b': [1, { '~': null }], '': 5 };

  it.each([
    ['', value],
    ['/', 5],
    ['/a~1b/0', 1],
    ['/a~1b/1/~0', null],
  ])('%j leads to its value', (pointer, found) => {
    expect(valueAt(value, pointer)).toEqual(found);
  });

  it('that leads nowhere is told whole, though the value is a part of something', () => {
    expect(() => valueAt([], '/x', '/1')).toThrow(
      expect.objectContaining({ detail: 'The result has nothing at /1/x' }),
    );
  });

  it.each(['/a~1b/2', '/a~1b/01', '/a~1b/-', '/a~1b/length', '/constructor', '//'])('%j leads nowhere', (pointer) => {
    expect(() => valueAt(value, pointer)).toThrow(/nothing at/);
  });
});
