import * as fc from 'fast-check';
import { randomRuns } from '../../../../test/support/random-runs.js';
import { DIALECT_NAMES, DIALECTS, ESCAPE } from './dialects.js';
import { scanMarks } from './scan-marks.js';

const PARTS = ['key', ':', '：', ' ', '\n', ',', '1', '_', 'ü', '😀', '「', '」', '»', '«', '<', '<|[', '<<<[', 'x y'];
const delimiters = DIALECT_NAMES.flatMap((name) => {
  const { open, close, blockStart, blockEnd } = DIALECTS[name];
  return [open, close, blockStart, blockEnd];
});
const texts = fc
  .array(fc.constantFrom(...PARTS, ...delimiters, ESCAPE.open, ESCAPE.close), { maxLength: 20 })
  .map((parts) => parts.join(''));

describe('scanMarks', () => {
  it.each(DIALECT_NAMES)('The marks of %s are the leftmost delimiters that do not overlap', (name) => {
    const { open, close, blockStart, blockEnd } = DIALECTS[name];
    const all = [ESCAPE.open, ESCAPE.close, open, close, blockStart, blockEnd];
    const pattern = new RegExp(all.map((mark) => mark.replace(/[|[\]]/g, '\\$&')).join('|'), 'g');
    fc.assert(
      fc.property(texts, (text) => {
        const found = scanMarks(text, DIALECTS[name], 0).map(({ start, end }) => [start, text.slice(start, end)]);
        expect(found).toEqual([...text.matchAll(pattern)].map((match) => [match.index, match[0]]));
      }),
      { numRuns: randomRuns(1_000) },
    );
  });

  it('The key of a mark is the word before its colon, with blanks around the colon', () => {
    fc.assert(
      fc.property(texts, (text) => {
        let floor = 0;
        for (const { kind, start, end, key } of scanMarks(text, DIALECTS.tam, 0)) {
          const before = text.slice(floor, start);
          const [, name] = /(?<![\p{L}\p{M}\p{N}_])([\p{L}_][\p{L}\p{M}\p{N}_]*)\s*[:：]\s*$/u.exec(before) ?? [];
          expect(key?.name).toBe(kind === 'open' || kind === 'escapeOpen' ? name : undefined);
          floor = end;
        }
      }),
      { numRuns: randomRuns(1_000) },
    );
  });
});
