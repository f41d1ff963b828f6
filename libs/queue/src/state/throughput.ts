import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { keysOf } from '../redis/names.js';
import type { QueueName } from '../redis/queue-names.js';
import { loadScript } from '../redis/lua-script.js';

const READ_THROUGHPUT = loadScript<[runs: string[], active: number, ages: number[]]>(
  join(__dirname, 'read-throughput.lua'),
);

/**
 * The number of jobs of a queue that end in a second while jobs wait: the number of running jobs, divided by the duration of a run. The
 * duration is the average of the last runs, or the average age of the running jobs if that is longer. Idle time does not count. Returns
 * undefined if no run is recorded. One command.
 */
export async function throughputOf(redis: Redis, queue: QueueName, now = Date.now()): Promise<number | undefined> {
  const keys = keysOf(redis);
  const [runs, active, ages] = await READ_THROUGHPUT.run(
    redis,
    [keys.runs(queue), keys.set(queue, 'active')],
    [keys.job(queue, ''), now],
  );
  if (runs.length === 0) return undefined;
  const takesMs = Math.max(1, averageOf(runs.map(Number)), averageOf(ages));
  return (Math.max(1, active) * 1_000) / takesMs;
}

function averageOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, n) => sum + n, 0) / Math.max(1, numbers.length);
}

/** The median duration of the last runs in ms. Returns undefined if no run is recorded. One command. */
export async function medianMs(redis: Redis, name: string): Promise<number | undefined> {
  const keys = keysOf(redis);
  const runs = (await redis.lrange(keys.runs(name), 0, -1)).map(Number).toSorted((a, b) => a - b);
  return runs[Math.floor(runs.length / 2)];
}
