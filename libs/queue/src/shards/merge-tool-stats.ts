import { partialOf, type ToolStats, type ToolUse } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { addValue, emptyValue, percentileOf, type BucketValue } from '../stats/bucket-value.js';
import { LETTERS, PAIR_LETTERS } from '../stats/read-buckets.js';
import { readMergedBuckets, type MergedBuckets } from './merge-stats.js';

const DAY = 86_400;
const DAYS = 30;
/** The most error types and parameters that the statistics of a tool show. */
const MOST_SHOWN = 100;
const ALL_LETTERS = [LETTERS.tool, PAIR_LETTERS.error, PAIR_LETTERS.parameter];

/** The calls of one tool by a tenant in the last 30 days. @throws Error if no shard answers */
export async function readToolStats(queues: Queues, tenant: string, toolId: string): Promise<ToolStats> {
  const { buckets, missing } = await readDays(queues, tenant, ALL_LETTERS);
  const sum = emptyValue();
  const errors = new Map<string, number>();
  const refusals = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string, more: number) =>
    counts.set(name, (counts.get(name) ?? 0) + more);
  const prefix = `${toolId}\t`;
  for (const day of buckets.values()) {
    const value = day.get(LETTERS.tool)?.get(toolId);
    if (value) addValue(sum, value);
    for (const [name, { failed }] of day.get(PAIR_LETTERS.error) ?? [])
      if (name.startsWith(prefix)) count(errors, name.slice(prefix.length), failed);
    for (const [name, { refused }] of day.get(PAIR_LETTERS.parameter) ?? [])
      if (name.startsWith(prefix)) count(refusals, name.slice(prefix.length), refused);
  }
  return {
    ...useOf(sum),
    p50Ms: percentileOf(sum.runs, 0.5) ?? null,
    p95Ms: percentileOf(sum.runs, 0.95) ?? null,
    errors: ranked(errors).map(([type, times]) => ({ type, count: times })),
    refusals: ranked(refusals).map(([name, times]) => {
      const [parameter = '', kind = ''] = name.split('\t');
      return { parameter, kind, count: times };
    }),
    ...partialOf(missing),
  };
}

/** The use of all tools of a tenant in the last 30 days, by tool. @throws Error if no shard answers */
export async function readToolUses(queues: Queues, tenant: string): Promise<Map<string, ToolUse>> {
  const { buckets } = await readDays(queues, tenant, [LETTERS.tool]);
  const sums = new Map<string, BucketValue>();
  for (const day of buckets.values())
    for (const [tool, value] of day.get(LETTERS.tool) ?? []) {
      const sum = sums.get(tool) ?? emptyValue();
      sums.set(tool, sum);
      addValue(sum, value);
    }
  return new Map([...sums].map(([tool, sum]) => [tool, useOf(sum)]));
}

function readDays(queues: Queues, tenant: string, letters: readonly string[]): Promise<MergedBuckets> {
  const today = Math.floor(Date.now() / 1_000 / DAY) * DAY;
  const begins = Array.from({ length: DAYS + 1 }, (_, n) => today - (DAYS - n) * DAY);
  return readMergedBuckets(queues, tenant, { seconds: DAY, begins }, letters);
}

function useOf({ accepted, failed, lastAt }: BucketValue): ToolUse {
  return { calls: accepted, failed, lastUsedAt: accepted > 0 ? new Date(lastAt).toISOString() : null };
}

function ranked(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, MOST_SHOWN);
}
