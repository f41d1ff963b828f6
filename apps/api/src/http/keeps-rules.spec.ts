import { array, assert, constantFrom, oneof, property, record, subarray, type Arbitrary } from 'fast-check';
import { validateSync } from 'class-validator';
import { randomRuns } from '../../../../test/support/random-runs.js';
import { rulesOf, type Dto } from './dto.js';
import { keepsRules } from './keeps-rules.js';
import { BatchItemRequest } from './submission-requests.js';
import { AnswerRequest } from './control-requests.js';

/** Values that some rule accepts, and values that every rule refuses. */
const VALUES: readonly unknown[] = [
  undefined,
  null,
  '',
  'x',
  'core:echo',
  'é',
  'x'.repeat(300),
  'auto',
  'sequence',
  'continue',
  'fixed',
  'https://example.com/',
  'data.csv',
  '.hidden',
  'text/csv',
  'aGFsbG8=',
  0,
  1,
  1.5,
  -1,
  1e9,
  Number.NaN,
  true,
  {},
  { a: 1 },
  [],
  ['x'],
  ['succeeded'],
  ['succeeded', 'succeeded'],
  new Date(),
  new Map([['a', 1]]),
];

/** A DTO with up to three of its fields. The values are arbitrary; fields of nested DTOs mostly have a nested DTO. */
function made(dto: Dto): Arbitrary<object> {
  const fields = [...rulesOf(dto)].map(([name, { nesting }]): [string, Arbitrary<unknown>] => {
    const any = constantFrom(...VALUES);
    if (!nesting) return [name, any];
    const inner = made(nesting.dto);
    return [name, oneof(any, nesting.each ? array(inner, { maxLength: 3 }) : inner)];
  });
  return subarray(fields, { maxLength: Math.min(3, fields.length) })
    .chain((some) => record(Object.fromEntries(some)))
    .map((given) => Object.assign(new dto(), given));
}

it.each([['a submission', BatchItemRequest] as const, ['an answer', AnswerRequest] as const])(
  'keepsRules and class-validator agree about %s',
  (_, dto) => {
    let kept = 0;
    assert(
      property(made(dto), (object) => {
        const isKept = keepsRules(object);
        if (isKept) kept++;
        expect(isKept).toBe(validateSync(object).length === 0);
      }),
      { numRuns: randomRuns(3_000) },
    );
    expect(kept).toBeGreaterThan(20);
  },
);

it('keepsRules returns false for an object without rules', () => {
  expect(keepsRules({ anything: 1 })).toBe(false);
});
