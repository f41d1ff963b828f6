import { differencesOf } from './differences.js';

describe('The differences of two JSON texts', () => {
  it('Blanks and the order of keys are no difference, and each change has its place', () => {
    expect(differencesOf('{"a": [1, {"b": 2}], "c": 3}', '{ "c":3, "a": [1, {"b": 2}] }')).toEqual([]);
    expect(differencesOf('{"a": [1, {"b/c": 2}], "d": 3}', '{"a": [1.0, {"b/c": "2"}], "e": null}')).toEqual([
      { path: '/a/0', before: '1', after: '1.0' },
      { path: '/a/1/b~1c', before: '2', after: '"2"' },
      { path: '/d', before: '3' },
      { path: '/e', after: 'null' },
    ]);
    expect(differencesOf('{}', '[]')).toEqual([{ path: '', before: '{}', after: '[]' }]);
    expect(differencesOf('{"__proto__": 1}', '{"__proto__": 2}')).toHaveLength(1);
  });
});
