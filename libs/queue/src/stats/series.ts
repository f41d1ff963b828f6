import type { StatsMetric } from '@errand/contracts';
import { addValue, emptyValue, percentileOf, type BucketValue } from './bucket-value.js';
import { OTHER } from './read-buckets.js';

/** The values of one part of the work, by the begin of each step in ms. */
export type Steps = Map<number, BucketValue>;

/** A value of a metric. Undefined where it has none: a percentile without durations. */
export function metricOf(metric: StatsMetric, value: BucketValue): number | undefined {
  switch (metric) {
    case 'waitP50Ms':
      return percentileOf(value.waits, 0.5);
    case 'waitP95Ms':
      return percentileOf(value.waits, 0.95);
    case 'runP50Ms':
      return percentileOf(value.runs, 0.5);
    case 'runP95Ms':
      return percentileOf(value.runs, 0.95);
    default:
      return value[metric];
  }
}

/** Whether a step without data has the value 0. */
export function isCount(metric: StatsMetric): boolean {
  return ['accepted', 'ended', 'failed', 'refused'].includes(metric);
}

/** Whether a metric is a state at a time, which can be 0. */
export function isGauge(metric: StatsMetric): boolean {
  return metric === 'depth' || metric === 'oldestMs';
}

/** Keeps the series with the highest values, and merges the others into one. Series that have nothing of the metric are left out. */
export function keepHighest(all: ReadonlyMap<string, Steps>, metric: StatsMetric, most: number): Map<string, Steps> {
  const weights = new Map([...all].map(([name, steps]) => [name, weightOf(metric, steps)]));
  const series = new Map([...all].filter(([name]) => isGauge(metric) || weights.get(name) !== 0));
  const ranked = [...series.keys()]
    .filter((name) => name !== OTHER)
    .toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0) || (a < b ? -1 : 1));
  const kept = new Map(ranked.slice(0, most).map((name): [string, Steps] => [name, series.get(name) ?? new Map()]));
  const rest = [...ranked.slice(most), ...(series.has(OTHER) ? [OTHER] : [])];
  if (rest.length === 0) return kept;
  const other: Steps = new Map();
  for (const name of rest)
    for (const [at, value] of series.get(name) ?? []) addTo(other, at, value, { isSameTime: true });
  return kept.set(OTHER, other);
}

/** Adds a value to the step at `at`. */
export function addTo(steps: Steps, at: number, value: BucketValue, options?: { isSameTime: boolean }): void {
  const sum = steps.get(at) ?? emptyValue();
  steps.set(at, sum);
  addValue(sum, value, options);
}

/** How much a series has of a metric: its count, its number of durations, or its highest value. */
function weightOf(metric: StatsMetric, steps: Steps): number {
  const sum = emptyValue();
  for (const value of steps.values()) addValue(sum, value);
  if (metric.startsWith('wait')) return countOf(sum.waits);
  if (metric.startsWith('run')) return countOf(sum.runs);
  return metricOf(metric, sum) ?? 0;
}

function countOf(histogram: ReadonlyMap<number, number>): number {
  return [...histogram.values()].reduce((sum, count) => sum + count, 0);
}
