import { BIN_GROWTH } from './fold-bounds.js';

/**
 * What a field of a bucket holds (`fold-stats.lua`): counts, the highest depth and age (ms), the time of the last entry (ms), and two
 * histograms, each from the number of a bin to the durations in it. Lua writes a list that is empty as an object.
 */
type StoredValue = [
  accepted: number,
  ended: number,
  failed: number,
  refused: number,
  depth: number,
  oldestMs: number,
  lastAt: number,
  waits: Record<string, number>,
  runs: Record<string, number>,
];

/** The statistics of a part of the work: of a queue, a tool, … in one or more buckets. */
export interface BucketValue {
  accepted: number;
  ended: number;
  failed: number;
  refused: number;
  depth: number;
  oldestMs: number;
  lastAt: number;
  waits: Histogram;
  runs: Histogram;
}

/** The number of durations in each bin. Bin 0 has what took less than 1 ms. */
type Histogram = Map<number, number>;

export function emptyValue(): BucketValue {
  return {
    accepted: 0,
    ended: 0,
    failed: 0,
    refused: 0,
    depth: 0,
    oldestMs: 0,
    lastAt: 0,
    waits: new Map(),
    runs: new Map(),
  };
}

/** Reads the text of a field. */
export function readValue(text: string): BucketValue {
  const [accepted, ended, failed, refused, depth, oldestMs, lastAt, waits, runs] = JSON.parse(text) as StoredValue;
  return { accepted, ended, failed, refused, depth, oldestMs, lastAt, waits: toMap(waits), runs: toMap(runs) };
}

/** Adds `value` to `sum`. Values of one dimension add up; depths of different times do not, and the highest one counts. */
export function addValue(sum: BucketValue, value: BucketValue, { isSameTime = false } = {}): void {
  sum.accepted += value.accepted;
  sum.ended += value.ended;
  sum.failed += value.failed;
  sum.refused += value.refused;
  sum.depth = isSameTime ? sum.depth + value.depth : Math.max(sum.depth, value.depth);
  sum.oldestMs = Math.max(sum.oldestMs, value.oldestMs);
  sum.lastAt = Math.max(sum.lastAt, value.lastAt);
  for (const which of ['waits', 'runs'] as const)
    for (const [bin, count] of value[which]) sum[which].set(bin, (sum[which].get(bin) ?? 0) + count);
}

/** The duration below which the share of all durations lies, in ms, within 10 %. Undefined without durations. */
export function percentileOf(histogram: Histogram, share: number): number | undefined {
  const total = [...histogram.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let left = Math.max(1, Math.ceil(total * share));
  for (const [bin, count] of [...histogram].toSorted(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return middleOf(bin);
  }
  return undefined;
}

function middleOf(bin: number): number {
  return bin === 0 ? 0 : Math.round(BIN_GROWTH ** (bin - 0.5));
}

function toMap(counts: Record<string, number>): Histogram {
  return new Map(Object.entries(counts).map(([bin, count]) => [Number(bin), count]));
}
