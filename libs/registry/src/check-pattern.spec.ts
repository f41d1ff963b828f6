import { compilePattern } from './check-pattern.js';

test.each([
  '^[a-z0-9_-]+$',
  '(ab?c)+',
  '^(\\d{3}-?)+$',
  '(?:a|b)*c+',
  '[(+)]+',
  '\\(a+\\)+',
  '(a+){2,5}',
  '^(?<year>\\d{4})-\\d+$',
  '((a|b)c)+',
])('%s is compiled', (pattern) => {
  expect(compilePattern(pattern).source).toBe(pattern);
});

test.each(['(a+)+', '(a*)*b', '([a-z]+)*$', '((a|b+)c)*', '(a{2,})+', '(?:x(?:y+)z)+', '(a+)+?', '(a|b*){3,}'])(
  '%s is refused',
  (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(/repeats a repetition/);
  },
);

test('a long pattern is refused', () => {
  expect(() => compilePattern('a'.repeat(513))).toThrow(/513 characters; at most 512/);
});
