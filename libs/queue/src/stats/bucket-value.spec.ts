import { addValue, emptyValue, percentileOf, readValue } from './bucket-value.js';

/** The bin of a duration, as `fold-stats.lua` computes it. */
const binOf = (ms: number) => (ms < 1 ? 0 : 1 + Math.floor(Math.log(ms) / Math.log(1.2)));

it('A percentile is within 10 % of the true duration', () => {
  for (const ms of [1, 2, 9, 40, 700, 3_000, 100_000, 86_400_000]) {
    const found = percentileOf(new Map([[binOf(ms), 1]]), 0.5) ?? 0;
    expect(Math.abs(found - ms)).toBeLessThanOrEqual(Math.max(1, ms * 0.1));
  }
  expect(percentileOf(new Map(), 0.5)).toBeUndefined();
  expect(percentileOf(new Map([[0, 5]]), 0.95)).toBe(0);
});

it('Half of all durations are below the 50th percentile, and 5 % above the 95th', () => {
  const durations = Array.from({ length: 1_000 }, (_, n) => n + 1);
  const histogram = new Map<number, number>();
  for (const ms of durations) histogram.set(binOf(ms), (histogram.get(binOf(ms)) ?? 0) + 1);
  expect(percentileOf(histogram, 0.5)).toBeGreaterThan(450);
  expect(percentileOf(histogram, 0.5)).toBeLessThan(550);
  expect(percentileOf(histogram, 0.95)).toBeGreaterThan(855);
  expect(percentileOf(histogram, 0.95)).toBeLessThan(1_045);
});

it('Counts of two times add up, depths of two times do not, and depths of two shards do', () => {
  const value = readValue('[1,2,3,4,5,6,7,{"1":2},{}]');
  const later = readValue('[1,1,1,1,9,1,8,{"1":1,"4":1},{"2":1}]');
  const sum = emptyValue();
  addValue(sum, value);
  addValue(sum, later);
  expect(sum).toMatchObject({ accepted: 2, ended: 3, failed: 4, refused: 5, depth: 9, oldestMs: 6, lastAt: 8 });
  expect([...sum.waits]).toEqual([
    [1, 3],
    [4, 1],
  ]);
  addValue(value, later, { isSameTime: true });
  expect(value).toMatchObject({ depth: 14, oldestMs: 6 });
});
