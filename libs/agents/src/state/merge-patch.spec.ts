import type { JsonObject } from '@errand/contracts';
import { mergePatch } from './merge-patch.js';

describe('A merge patch', () => {
  // The examples of RFC 7396, appendix A, whose target and patch are objects.
  it.each<[target: string, patch: string, result: string]>([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('The patch of %s with %s gives %s', (target, patch, result) => {
    const merged = mergePatch(JSON.parse(target) as JsonObject, JSON.parse(patch) as JsonObject);
    expect(JSON.stringify(merged)).toBe(result);
  });

  it('The key __proto__ is data', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"admin":true},"constructor":{"x":1}}') as JsonObject);
    expect(JSON.stringify(merged)).toBe('{"__proto__":{"admin":true},"constructor":{"x":1}}');
    expect(({} as JsonObject)['admin']).toBeUndefined();
  });
});
