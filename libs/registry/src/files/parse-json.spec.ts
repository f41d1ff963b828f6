import { assert, json, property, nat } from 'fast-check';
import { findJsonError, hasDuplicateKey } from './parse-json.js';

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

test.each([
  ['{"a": [1,]}', ']}'],
  ['{"a": abc}', 'abc}'],
  ['{"a": \'b\'}', "'b'}"],
  ['{"a": 1,}', '}'],
  ['{"a": tru}', 'tru}'],
  ['{"a" 1}', '1}'],
  ['// x', '// x'],
  ['{"a": 1', ''],
  ['', ''],
])('The error in %s is before %s', (text, rest) => {
  const offset = findJsonError(text).offset;
  expect(rest === '' ? offset >= text.length - 1 : text.slice(offset)).toBe(rest === '' ? true : rest);
});

test('A foreign character between any two tokens is found', () => {
  assert(
    property(json(), nat(), (text, at) => {
      const pretty = JSON.stringify(JSON.parse(text), null, 1);
      const breaks = [...pretty.matchAll(/^/gm)].map(({ index }) => index);
      const offset = breaks[at % breaks.length]!;
      expect(findJsonError(`${pretty.slice(0, offset)}§${pretty.slice(offset)}`).offset).toBe(offset);
    }),
  );
});
