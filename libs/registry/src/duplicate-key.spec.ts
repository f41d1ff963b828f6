import { assert, json, property } from 'fast-check';
import { hasDuplicateKey } from './duplicate-key.js';

test.each([
  ['{"a": 1, "a": 2}', true],
  ['[{"b": {"a": 1, "\\u0061": 2}}]', true],
  ['{"a": {"a": "a\\": ,"}, "b": ["c", "d"]}', false],
  ['{"a\\"": 1, "x" : ":"}', false],
])('The text %s has a duplicate key: %s', (text, expected) => {
  expect(hasDuplicateKey(text, JSON.parse(text))).toBe(expected);
});

test('A text that was written from a value has no duplicate key', () => {
  assert(property(json(), (text) => !hasDuplicateKey(JSON.stringify(JSON.parse(text)), JSON.parse(text))));
});
