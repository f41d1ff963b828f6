import { assert, constantFrom, property, string, stringMatching, array } from 'fast-check';
import { linearPattern } from './linear-pattern.js';

const SAMPLES = [
  '',
  'a',
  'b',
  'aa',
  'ab',
  'A',
  '0',
  '_',
  '-',
  ' ',
  '\n',
  '\r',
  '\u2028',
  '\u00a0',
  'é',
  'ß',
  'Ω',
  '中',
  '😀',
  '\ud83d',
  '\u0000',
  '\b',
  '[',
  ']',
  'a\n',
  'foo-bar',
  '12-34',
  'x.y',
];

/** Patterns with a possible difference between JavaScript and RE2. */
const PATTERNS = [
  '^[a-z0-9_-]+$',
  '^a*$',
  'a$',
  '^.$',
  '^.*$',
  '^\\s$',
  '\\S',
  '^[\\s]$',
  '^[^\\s]$',
  '^[\\S]$',
  '^[\\s\\S]$',
  '^[^]$',
  '[]',
  '\\bfoo\\b',
  '\\Ba',
  '^[\\b]$',
  '^\\w+$',
  '^\\W$',
  '^\\d{2}-\\d+$',
  '^\\p{L}$',
  '^\\p{Letter}$',
  '^\\P{L}$',
  '^\\p{Script=Greek}$',
  '^\\p{Emoji}$',
  '^[\\p{Lu}\\p{Nd}]$',
  '^\\p{ASCII}+$',
  '^\\u0061$',
  '^\\u{1F600}$',
  '^\\uD83D\\uDE00$',
  '^\\x61',
  '\\cH',
  '^\\0$',
  '^(?<year>\\d{2})',
  '^(?:a|b)+?$',
  '^[[]$',
  '^[\\]]$',
  '^[a\\-z]$',
  '^[^a-c]$',
  '\\/',
  '\\.',
  'x\\.y',
  '(a|b){1,3}$',
  '^(a?){10}$',
  '[+\\-*/]',
  '^$',
  '|a',
];

test.each(PATTERNS)('The pattern %s matches the same texts as in JavaScript', (pattern) => {
  const native = new RegExp(pattern, 'u');
  const matching = (test: (text: string) => boolean) => SAMPLES.filter((sample) => test(sample));
  expect(matching((text) => linearPattern(pattern).test(text))).toEqual(matching((text) => native.test(text)));
});

test('White space is the same as in JavaScript for each character', () => {
  const points = Array.from({ length: 0x10000 }, (_item, index) => String.fromCharCode(index));
  for (const pattern of ['\\s', '\\S']) {
    const native = new RegExp(pattern, 'u');
    const linear = linearPattern(pattern);
    expect(points.filter((point) => linear.test(point) !== native.test(point))).toEqual([]);
  }
});

test('Random patterns match the same texts as in JavaScript', () => {
  const piece = constantFrom('a', 'b', '.', '\\s', '\\w', '[ab]', '[^a]', '(a|b)', '(?:ab)', '\\d', 'é');
  const many = constantFrom('', '*', '+', '?', '{2}', '{1,}', '*?');
  const pattern = array(
    stringMatching(/^$/)
      .chain(() => piece)
      .chain((one) => many.map((times) => one + times)),
    { maxLength: 6 },
  ).map((parts) => parts.join(''));
  assert(
    property(pattern, string({ unit: constantFrom('a', 'b', ' ', '1', 'é', '\n') }), (source, text) => {
      const anchored = `^${source}$`;
      return linearPattern(anchored).test(text) === new RegExp(anchored, 'u').test(text);
    }),
  );
});

test.each(['(a+)+$', '(a*)*b$', '([a-z]+)*$', '(a|aa)+$', '(a|a?)+$', '(.*)*x$', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
  'The pattern %s takes time in proportion to the text',
  (pattern) => {
    const compiled = linearPattern(pattern);
    const best = (length: number) =>
      Math.min(
        ...Array.from({ length: 5 }, () => {
          const start = performance.now();
          compiled.test(`${'a'.repeat(length)}!`);
          return performance.now() - start;
        }),
      );
    best(1_000);
    expect(best(64_000) / best(8_000)).toBeLessThan(32);
  },
);

test.each([
  ['(?=a)b', /does not support \(\?=a\)b: look-around, \(\?=…\)$/],
  ['(?!a)b', /look-around/],
  ['(?<=a)b', /look-around/],
  ['(?<!a)b', /look-around/],
  ['(a)\\1', /a back-reference, \\1/],
  ['(?<x>a)\\k<x>', /a back-reference/],
  ['a{1,2000}', /linear time.*repeat/],
  ['((a{100}){100}){100}', /linear time/],
  ['(', /Invalid regular expression/],
  ['a**', /Invalid regular expression/],
  ['\\y', /Invalid regular expression/],
  ['a'.repeat(513), /513 characters; at most 512/],
])('The pattern %s is refused', (pattern, message) => {
  expect(() => linearPattern(pattern)).toThrow(message);
});

test('Text that only resembles look-around or a back-reference is accepted', () => {
  expect(linearPattern('^[(?=]$').test('?')).toBe(true);
  expect(linearPattern('^\\(\\?=$').test('(?=')).toBe(true);
  expect(linearPattern('^\\\\1$').test('\\1')).toBe(true);
});
