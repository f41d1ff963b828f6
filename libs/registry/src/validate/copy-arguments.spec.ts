import type { JsonObject } from '@errand/contracts';
import * as fc from 'fast-check';
import { randomRuns } from '../../../../test/support/random-runs.js';
import { copyArguments } from './copy-arguments.js';

const values = fc.object({
  key: fc.oneof(fc.string({ maxLength: 6 }), fc.constant('__proto__')),
  values: [fc.string(), fc.double(), fc.boolean(), fc.constant(null), fc.constant(undefined)],
  maxDepth: 4,
});

describe('copyArguments', () => {
  it('A copy of arguments is what writing and reading them as JSON gives', () => {
    fc.assert(
      fc.property(values, (value) => {
        const copy = copyArguments(value as JsonObject);
        expect(copy).toStrictEqual(JSON.parse(JSON.stringify(value)));
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
      }),
      { numRuns: randomRuns(1_000) },
    );
  });

  it('A change of a copy leaves the arguments as they are, and a key "__proto__" remains a key', () => {
    const args: JsonObject = JSON.parse('{"list":[{"a":1}],"__proto__":{"b":2}}');
    const copy = copyArguments(args);
    (copy['list'] as JsonObject[])[0]!['a'] = 3;
    expect(JSON.stringify(args)).toBe('{"list":[{"a":1}],"__proto__":{"b":2}}');
    expect([Object.keys(copy), 'b' in copy]).toEqual([['list', '__proto__'], false]);
  });
});
