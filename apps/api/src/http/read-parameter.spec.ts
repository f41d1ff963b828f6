import { preferredWait, requirePointer, waitSeconds } from './read-parameter.js';

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
  ])('The header %s asks for a wait of %s', (header, seconds) => {
    expect(preferredWait(header)).toBe(seconds);
  });

  it.each([
    ['5', 5],
    ['0.5', 0.5],
    ['61', 60],
    ['99999999999999999999', 60],
  ])('The wait %s is limited to %d s', (text, seconds) => {
    expect(waitSeconds(text, 60)).toBe(seconds);
  });

  it.each(['', '-1', '1e3', 'NaN', '0x10', ' 1'])('The wait %j is refused', (text) => {
    expect(() => waitSeconds(text, 60)).toThrow(/number of seconds/);
  });
});

it.each(['a', '0/name', ' /a'])('The path %j is refused: it is not a JSON Pointer', (pointer) => {
  expect(() => requirePointer(pointer)).toThrow(/must be a JSON Pointer/);
});
