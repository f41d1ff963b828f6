import { join } from 'node:path';
import type { StatsDimension } from '@errand/contracts';
import type { Redis } from 'ioredis';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { loadScript } from '../redis/lua-script.js';
import { readValue, type BucketValue } from './bucket-value.js';
import { DAY } from './fold-bounds.js';
import { foldLog } from './stats-log.js';

/** The letters of the dimensions, as `fold-stats.lua` has them. `pair` and `parameter` are in buckets of a day only. */
export const LETTERS = { queue: 'q', tool: 't', agent: 'a', outcome: 'o', errorType: 'e' } as const satisfies Record<
  StatsDimension,
  string
>;
export const PAIR_LETTERS = { error: 'x', parameter: 'p' } as const;

/** The name of what came after the bound of a dimension. */
export const OTHER = 'other';

/** Buckets of one length. */
export interface BucketRange {
  seconds: number;
  /** The begins of the buckets in seconds. */
  begins: readonly number[];
}

/** The values of a bucket by the text of a field without its letter; `''`: what has no such part; `OTHER`: what came after the bound. */
export type Bucket = Map<string, BucketValue>;

const AT_ONCE = 200;

/** A call moves the texts of so many days, so that it takes a few ms. */
const DAYS_AT_ONCE = 8;

const SETTLE = loadScript<null>(join(__dirname, 'settle-texts.lua'));

/** Moves the entries of a tenant that are kept as text to their buckets, of each day between two times (s). */
export async function settleTexts(redis: Redis, tenant: string, from: number, to: number): Promise<void> {
  const { statsText } = keysOf(redis);
  const texts: string[] = [];
  for (let begin = Math.floor(from / DAY) * DAY; begin <= to; begin += DAY) texts.push(statsText(tenant, begin));
  for (let at = 0; at < texts.length; at += DAYS_AT_ONCE)
    await SETTLE.run(redis, texts.slice(at, at + DAYS_AT_ONCE), []);
}

/** Reads a dimension, or several, of buckets of a tenant, by their begins (s). Empty buckets are left out. The log is folded first. */
export async function readBuckets(
  queues: Queues,
  tenant: string,
  { seconds, begins }: BucketRange,
  letters: readonly string[],
): Promise<Map<number, Map<string, Bucket>>> {
  const { redis } = queues;
  const keys = keysOf(redis);
  await foldLog(queues);
  await settleTexts(redis, tenant, begins[0] ?? 0, begins.at(-1) ?? -1);
  const found = new Map<number, Map<string, Bucket>>();
  for (let at = 0; at < begins.length; at += AT_ONCE) {
    const some = begins.slice(at, at + AT_ONCE);
    const names = some.map((begin) => keys.statsBucket(tenant, seconds, begin));
    const hashes = await Promise.all(names.map((name) => redis.hgetall(name)));
    for (const [n, begin] of some.entries()) {
      const fields = Object.entries(hashes[n] ?? {});
      if (fields.length > 0) found.set(begin, byLetter(fields, letters));
    }
  }
  return found;
}

function byLetter(fields: readonly (readonly [string, string])[], letters: readonly string[]): Map<string, Bucket> {
  const bucket = new Map(letters.map((letter): [string, Bucket] => [letter, new Map()]));
  for (const [field, text] of fields) {
    const name = field.charAt(1) === ':' ? field.slice(2) : OTHER;
    bucket.get(field.charAt(0))?.set(name, readValue(text));
  }
  return bucket;
}
