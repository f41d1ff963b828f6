import * as fc from 'fast-check';
import { randomRuns } from '../../../../test/support/random-runs.js';
import { mayLookAlike } from './may-look-alike.js';

/** The rule as one expression, without its order of search. */
const RULE = /[{｛]{2}\s*(?:steps|job)|[{｛][^{}｛｝\d_\x80-\uffff]{0,79}[\d_\x80-\uffff]/i;
const PARTS = [
  '{',
  '{',
  '}',
  '｛',
  '｝',
  ' ',
  'steps',
  'JOB',
  'a',
  '7',
  '_',
  'ü',
  '\u3000',
  'x'.repeat(79),
  'y'.repeat(80),
];
const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 12 }).map((parts) => parts.join(''));

describe('mayLookAlike', () => {
  it('A text may hold a lookalike of a template exactly if the rule matches it, or if it has a wide brace', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(mayLookAlike(text)).toBe(RULE.test(text) || text.includes('｛'));
      }),
      { numRuns: randomRuns(3_000) },
    );
  });
});
