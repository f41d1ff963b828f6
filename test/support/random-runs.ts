/** Whether tests do all of their repetitions: `CI=true`, or `ERRAND_TEST_ALL_RUNS=true`, which `./errand test` sets. */
const DOES_ALL_RUNS = process.env['CI'] === 'true' || process.env['ERRAND_TEST_ALL_RUNS'] === 'true';

/** A quick test checks one of this many values. `npm run test:unit` is quick, and shows the same properties sooner. */
export const QUICK_PART = DOES_ALL_RUNS ? 1 : 5;

/** The number of runs of a property test: `all`, or a part of them in a quick test. */
export function randomRuns(all: number): number {
  return Math.ceil(all / QUICK_PART);
}
