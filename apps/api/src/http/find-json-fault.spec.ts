import { assert, constantFrom, json, nat, property, tuple } from 'fast-check';
import { findJsonFault } from './find-json-fault.js';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('The place where a text stops being JSON', () => {
  it.each([
    ['', 0, 1, 1, 'a value is expected, not the end'],
    ['{"a":1', 6, 1, 7, 'a comma or the closing bracket is expected, not the end'],
    ['{"a":1}}', 7, 1, 8, 'nothing more is expected'],
    ['{\n  "a": 1,\n}', 12, 3, 1, 'a key in double quotes is expected'],
    ['{\n  a: 1}', 4, 2, 3, 'a key in double quotes or } is expected'],
    ['[1 2]', 3, 1, 4, 'a comma or the closing bracket is expected'],
    ['[1}', 2, 1, 3, 'a comma or the closing bracket is expected'],
    ['[01]', 2, 1, 3, 'a comma or the closing bracket is expected'],
    ['{"a" 1}', 5, 1, 6, 'a colon is expected'],
    ["{'a': 1}", 1, 1, 2, 'a key in double quotes or } is expected'],
    ['["a', 1, 1, 2, 'the string that begins here has no end'],
    ['["a\\', 1, 1, 2, 'the string that begins here has no end'],
    [String.raw`["\x41"]`, 2, 1, 3, 'this escape does not exist in JSON'],
    ['["a\nb"]', 3, 1, 4, String.raw`a control character in a string must be escaped, a line break as \n`],
    ['[undefined]', 1, 1, 2, 'a value or ] is expected'],
  ])('%j', (text, position, line, column, reason) => {
    expect(findJsonFault(text)).toEqual({ position, line, column, reason });
  });

  it('Every text in which JSON.parse finds a fault has one here, and no other', () => {
    const mutated = tuple(
      json(),
      nat(),
      nat(3),
      constantFrom('', '"', '{', ']', ',', ':', '0', '-', '.', 'e', '\\', '\n', ' ', 'u'),
    ).map(([text, at, cut, more]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + more + text.slice(place + cut);
    });
    assert(
      property(mutated, (text) => {
        const fault = findJsonFault(text);
        expect(fault === undefined).toBe(isJson(text));
        // What comes before the fault can be continued, so the fault is not later than the place where the text is cut.
        if (fault) expect(findJsonFault(text.slice(0, fault.position + 1))).toBeDefined();
      }),
      { numRuns: 3_000 },
    );
  });

  it('A deep or long text is read in one pass', () => {
    expect(findJsonFault('['.repeat(1_000_000))).toMatchObject({ position: 1_000_000 });
    expect(findJsonFault(`["${String.raw`\n`.repeat(1_000_000)}`)).toMatchObject({ position: 1 });
  });
});
