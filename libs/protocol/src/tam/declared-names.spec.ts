import * as fc from 'fast-check';
import { randomRuns } from '../../../../test/support/random-runs.js';
import { DeclaredNames } from './declared-names.js';

const keys = fc
  .array(fc.constantFrom('a', 'B', '_', '1', '20', 'ü', 'Path', '__proto__', 'İ', '３'), { maxLength: 4 })
  .map((parts) => parts.join(''));

/** The rule of grammar: the exact spelling, else all names that are equal without case and underscores. */
function meantBy(key: string, names: readonly string[]): readonly string[] {
  const fold = (name: string) => (name === '__proto__' ? name : name.toLowerCase().replaceAll('_', ''));
  if (names.includes(key)) return [key];
  return fold(key) === '' ? [] : names.filter((name) => fold(name) === fold(key));
}

describe('DeclaredNames', () => {
  it('A key means the name with its spelling, else all names that differ only in case and underscores', () => {
    fc.assert(
      fc.property(fc.uniqueArray(keys, { maxLength: 6 }), keys, (names, key) => {
        const declared = new DeclaredNames(names);
        for (const one of [key, ...names, `${names[0]}_`, `${names[0]}1`])
          expect(declared.find(one)).toEqual(meantBy(one, names));
      }),
      { numRuns: randomRuns(2_000) },
    );
  });
});
