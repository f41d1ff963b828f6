import { partialOf, type Stats, type StatsDimension, type StatsMetric, type StatsSeries } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { addValue } from '../stats/bucket-value.js';
import { planSteps, type PlannedSteps } from '../stats/plan-steps.js';
import { LETTERS, readBuckets, type Bucket, type BucketRange } from '../stats/read-buckets.js';
import { addTo, isCount, isGauge, keepHighest, metricOf, type Steps } from '../stats/series.js';
import { EVERYBODY } from '../stats/stats-log.js';
import { EVERY_TENANT, type TenantReach } from '../state/tenant-reach.js';
import { askAll } from './ask-all.js';

const MOST_SERIES = 20;

export interface StatsQuery {
  metric: StatsMetric;
  by?: StatsDimension | undefined;
  /** In ms since 1970. */
  from: number;
  to: number;
  stepMs?: number | undefined;
}

/** The buckets of all shards that answer, merged by their begins (s), and the names of the other shards. */
export interface MergedBuckets {
  buckets: Map<number, Map<string, Bucket>>;
  missing: string[];
}

/**
 * Measures the work of a tenant over time, in all shards that answer. Depths are those of the queues as a whole if the reach has every
 * tenant. @throws Error if no shard answers
 */
export async function readStats(
  queues: Queues,
  { tenant, reach }: { tenant: string; reach: TenantReach },
  query: StatsQuery,
  now = Date.now(),
): Promise<Stats> {
  const { metric, by } = query;
  const steps = planSteps(query, now);
  const owner = isGauge(metric) && reach === EVERY_TENANT ? EVERYBODY : tenant;
  // The numbers of all queues add up to the whole.
  const letter = LETTERS[by ?? 'queue'];
  const { buckets, missing } = await readMergedBuckets(queues, owner, steps, [letter]);
  const series = keepHighest(toSeries(buckets, letter, by !== undefined, steps.stepMs), metric, MOST_SERIES);
  if (by === undefined && series.size === 0) series.set('', new Map());
  const fills = isCount(metric) || (isGauge(metric) && owner !== EVERYBODY);
  return {
    metric,
    stepMs: steps.stepMs,
    series: [...series].map(([name, values]): StatsSeries => {
      const labels = by === undefined ? {} : { [by]: name === '' ? null : name };
      return { labels, points: pointsOf(metric, steps, values, fills) };
    }),
    ...partialOf(missing),
  };
}

/** Reads buckets of a tenant in all shards. @throws Error if no shard answers */
export async function readMergedBuckets(
  queues: Queues,
  tenant: string,
  range: BucketRange,
  letters: readonly string[],
): Promise<MergedBuckets> {
  const all = queues.shards?.all ?? [queues];
  const { answers, missing } = await askAll(all, (shard) => readBuckets(shard, tenant, range, letters));
  const [first = new Map<number, Map<string, Bucket>>(), ...others] = answers;
  for (const [begin, parts] of others.flatMap((each) => [...each])) {
    const known = first.get(begin);
    if (!known) first.set(begin, parts);
    else for (const [letter, bucket] of parts) mergeBucket(known.get(letter), bucket);
  }
  return { buckets: first, missing };
}

function mergeBucket(known: Bucket | undefined, more: Bucket): void {
  for (const [name, value] of more) {
    const sum = known?.get(name);
    if (sum) addValue(sum, value, { isSameTime: true });
    else known?.set(name, value);
  }
}

/** The steps of each value of a dimension, or of all together under `''`. */
function toSeries(
  buckets: MergedBuckets['buckets'],
  letter: string,
  isDivided: boolean,
  stepMs: number,
): Map<string, Steps> {
  const series = new Map<string, Steps>();
  const stepsOf = (name: string): Steps => {
    const steps = series.get(name) ?? new Map();
    series.set(name, steps);
    return steps;
  };
  for (const [begin, parts] of buckets) {
    const bucket = parts.get(letter) ?? new Map();
    const at = Math.floor((begin * 1_000) / stepMs) * stepMs;
    for (const [name, value] of isDivided ? bucket : wholeOf(bucket)) addTo(stepsOf(name), at, value);
  }
  return series;
}

/** The parts of a bucket as one. */
function wholeOf(bucket: Bucket): Bucket {
  const steps: Steps = new Map();
  for (const value of bucket.values()) addTo(steps, 0, value, { isSameTime: true });
  const whole = steps.get(0);
  return new Map(whole ? [['', whole]] : []);
}

/** @param fills a step without data has the value 0, else it has no point */
function pointsOf(
  metric: StatsMetric,
  { starts }: PlannedSteps,
  values: Steps,
  fills: boolean,
): [ms: number, value: number][] {
  return starts.flatMap((start): [number, number][] => {
    const found = values.get(start);
    const value = found && metricOf(metric, found);
    if (value === undefined) return fills ? [[start, 0]] : [];
    return [[start, value]];
  });
}
