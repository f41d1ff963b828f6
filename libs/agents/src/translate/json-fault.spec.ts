import * as fc from 'fast-check';
import { findJsonFault } from './json-fault.js';

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const PIECES = '{ } [ ] , : "a" "b" " \\ 1 - 0.5 1e3 . true null nul x'.split(' ').concat(' ', '\n', '\t', '\u00a0');

describe('findJsonFault', () => {
  it.each([
    ['{"a": }', 1, 7, 'Here must be a value, not "}"'],
    ['{"a": 1', 1, 8, 'The text ends where , or } must follow'],
    ['{"a": 1,}', 1, 9, 'Here must be a key, not "}"'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'Here must be , or }, not "\\""'],
    ["{'a': 1}", 1, 2, 'Here must be a key or }, not "\'"'],
    ['{"a": "x', 1, 7, 'The string that begins here does not end'],
    ['{"a": "x\ny"}', 1, 9, 'A string must write "\\n" with a backslash'],
    ['{"a": "\\x"}', 1, 8, 'JSON does not know the escape \\x'],
    ['{"a": 01}', 1, 7, 'Here must be a value, not "0"'],
    ['{"a": NaN}', 1, 7, 'Here must be a value, not "N"'],
    ['{} {}', 1, 4, 'Behind the value is "{"'],
    ['[1 2]', 1, 4, 'Here must be , or ], not "2"'],
    ['{"a" 1}', 1, 6, 'Here must be :, not "1"'],
    ['\ufeff{}', 1, 1, 'Here must be a value, not "\ufeff"'],
  ])('The fault of %j is at line %i, column %i', (text, line, column, message) => {
    expect(parses(text)).toBe(false);
    expect(findJsonFault(text)).toEqual({ message, line, column });
  });

  it('A key that occurs twice in one object is a fault, also if it is escaped differently', () => {
    expect(findJsonFault('{"a": 1, "\\u0061": 2}')).toMatchObject({
      column: 10,
      message: expect.stringContaining('twice'),
    });
    expect(findJsonFault('{"__proto__": 1, "b": {"__proto__": 2}, "constructor": 3}')).toBeUndefined();
  });

  it('A number that a double cannot hold is a fault', () => {
    expect(findJsonFault('{"id": 12345678901234567890}')).toMatchObject({ line: 1, column: 8 });
    expect(findJsonFault('[1e999]')?.message).toContain('too large');
  });

  it('Deep nesting is a fault, and needs no recursion', () => {
    expect(findJsonFault('['.repeat(1_000_000))?.message).toContain('deeper than 64 levels');
    expect(findJsonFault('['.repeat(64) + ']'.repeat(64))).toBeUndefined();
  });

  it('A string of a million escapes without an end is read', () => {
    expect(findJsonFault(`{"a": "${'\\n'.repeat(1_000_000)}`)).toMatchObject({ column: 7 });
  });

  it('A text has a fault exactly if JSON.parse refuses it', () => {
    const piece = fc.constantFrom(...PIECES);
    const broken = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const cut = fc.tuple(fc.json(), fc.nat(40)).map(([text, at]) => text.slice(0, at));
    fc.assert(
      fc.property(fc.oneof(broken, fc.json({ maxDepth: 5 }), cut), (text) => {
        const fault = findJsonFault(text);
        if (/twice|too large/.test(fault?.message ?? '')) return;
        expect(fault === undefined).toBe(parses(text));
      }),
      { numRuns: 3_000 },
    );
  });
});
