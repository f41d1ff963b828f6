import { assert, constantFrom, property, string } from 'fast-check';
import { matchesGlob } from './matches-glob.js';

test.each([
  ['kb:search', 'kb:*', true],
  ['kb:search', 'kb:search', true],
  ['kb:search', 'kb:sear', false],
  ['kbx:search', 'kb:*', false],
  ['a:b', '*', true],
  ['a', 'a*a', false],
  ['kb.search', 'kb?search', false],
])('The name %s against the pattern %s gives %s', (name, pattern, matches) => {
  expect(matchesGlob(name, pattern)).toBe(matches);
});

test('The glob matches the same names as a regular expression', () => {
  const text = string({ unit: constantFrom('a', 'b', '*'), maxLength: 8 });
  assert(
    property(text, text, (name, pattern) => {
      expect(matchesGlob(name, pattern)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name));
    }),
  );
});
