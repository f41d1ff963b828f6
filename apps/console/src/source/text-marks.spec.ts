import { applyFix, marksOf, splitText } from './text-marks.js';

const TEXT = 'one\ntwo wrong\nthree';
const wrong = { kind: 'unknown_tool' as const, message: 'no', path: '', line: 2, column: 5, endLine: 2, endColumn: 10 };
const shown = (marks: Parameters<typeof marksOf>[1]) =>
  splitText(TEXT, marksOf(TEXT, marks)).map(({ text, mark }) => (mark ? `[${mark.kind}:${text}]` : text));

describe('The marks of a text', () => {
  it('An error is under its exact characters, and the pieces are the whole text', () => {
    expect(shown({ errors: [wrong] })).toEqual(['one\ntwo ', '[unknown_tool:wrong]', '\nthree']);
  });

  it('A repaired value is marked once, and a warning elsewhere has one character', () => {
    const repair = 'Read as 2';
    const place = { line: 1, column: 1, endLine: 1, endColumn: 4 };
    const calls = [{ place, places: { '/a': { ...place, raw: 'one', repair }, '/b': { ...place, raw: 'one' } } }];
    const warnings = [
      { message: repair, line: 1, column: 1 },
      { message: 'Odd', line: 3, column: 1 },
    ];
    expect(shown({ calls, warnings })).toEqual(['[repair:one]', '\ntwo wrong\n', '[warning:t]', 'hree']);
  });

  it('Overlapping marks, marks without an end and marks behind the text lose nothing', () => {
    const errors = [
      wrong,
      { ...wrong, column: 1, endColumn: 7 },
      { ...wrong, line: 9, column: 9 },
      { message: 'no place' },
    ];
    expect(
      shown({ errors })
        .join('')
        .replaceAll(/\[\w+:|\]/g, ''),
    ).toBe(TEXT);
  });

  it('A fix replaces its range', () => {
    expect(applyFix(TEXT, { ...wrong, text: 'right' })).toBe('one\ntwo right\nthree');
  });
});
