import type { Redis } from 'ioredis';
import { keys, type QueueName } from './names.js';

/** Ends are counted by queue, in buckets of so many seconds; the last thirty say how quick it is. */
export const BUCKET_SECONDS = 10;
const BUCKETS = 30;
export const KEEP_BUCKET_SECONDS = BUCKET_SECONDS * (BUCKETS + 1);
/** So many of the last runs of a tool are remembered by how long they took, for so long after the last. */
export const REMEMBERED_RUNS = 63;
export const KEEP_RUNS_SECONDS = 7 * 86_400;

export function bucketOf(ms: number): number {
  return Math.floor(ms / (BUCKET_SECONDS * 1_000));
}

/** How many jobs of a queue end in a second, over the last five minutes; 0 where none has. One command. */
export async function throughputOf(redis: Redis, queue: QueueName, now = Date.now()): Promise<number> {
  const latest = bucketOf(now);
  const buckets = Array.from({ length: BUCKETS }, (_, n) => latest - n);
  const counts = (await redis.mget(buckets.map((bucket) => keys.ends(queue, bucket)))).map(Number);
  const oldest = counts.findLastIndex((count) => count > 0);
  if (oldest === -1) return 0;
  const since = (latest - oldest) * BUCKET_SECONDS * 1_000;
  const ended = counts.reduce((sum, count) => sum + count, 0);
  // A rate over less than a second says little.
  return ended / Math.max(1, (now - since) / 1_000);
}

/** How long a run takes that is quicker than half of the last ones, in ms; undefined where none is remembered. One command. */
export async function usualMs(redis: Redis, name: string): Promise<number | undefined> {
  const runs = (await redis.lrange(keys.runs(name), 0, -1)).map(Number).toSorted((a, b) => a - b);
  return runs[Math.floor(runs.length / 2)];
}
