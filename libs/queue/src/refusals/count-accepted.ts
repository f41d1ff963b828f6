import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { askAll } from '../shards/ask-all.js';
import { readValue } from '../stats/bucket-value.js';
import { DAY } from '../stats/fold-bounds.js';
import { settleTexts } from '../stats/read-buckets.js';
import { foldLog } from '../stats/stats-log.js';

/** With the buckets of a day, those of the statistics that are kept longest (s). */
const QUARTER = 900;

/** The counts of accepted invocations by the field of statistics, such as `t:core:echo`, and the shards that did not answer. */
export interface AcceptedCounts {
  accepted: ReadonlyMap<string, number>;
  missing: string[];
}

/**
 * Counts accepted invocations by fields of the statistics, in all shards that answer. The range grows to whole quarters of an hour.
 * @param range in ms; `to` is exclusive
 */
export async function countAccepted(
  queues: Queues,
  tenant: string,
  fields: readonly string[],
  range: { from: number; to: number },
): Promise<AcceptedCounts> {
  const accepted = new Map(fields.map((field) => [field, 0]));
  if (fields.length === 0) return { accepted, missing: [] };
  const buckets = bucketsOf(range);
  const { answers, missing } = await askAll(queues.shards?.all ?? [queues], async (shard) => {
    await foldLog(shard);
    const keys = keysOf(shard.redis);
    const namesOf = (some: readonly Bucket[]) =>
      some.map(({ seconds, begin }) => keys.statsBucket(tenant, seconds, begin));
    await settleTexts(shard.redis, tenant, buckets[0]?.begin ?? 0, buckets.at(-1)?.begin ?? -1);
    return Promise.all(namesOf(buckets).map((name) => shard.redis.hmget(name, ...fields)));
  });
  for (const values of answers.flat())
    for (const [n, field] of fields.entries()) {
      const text = values[n];
      if (text) accepted.set(field, (accepted.get(field) ?? 0) + readValue(text).accepted);
    }
  return { accepted, missing };
}

interface Bucket {
  seconds: number;
  /** In seconds. */
  begin: number;
}

/** Whole days, and quarters of an hour before and after them. */
function bucketsOf({ from, to }: { from: number; to: number }): Bucket[] {
  const buckets: Bucket[] = [];
  const end = to / 1_000;
  let begin = Math.floor(from / 1_000 / QUARTER) * QUARTER;
  while (begin < end) {
    const seconds = begin % DAY === 0 && begin + DAY <= end ? DAY : QUARTER;
    buckets.push({ seconds, begin });
    begin += seconds;
  }
  return buckets;
}
