import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { keys, type QueueName } from '../redis/names.js';
import { loadScript } from '../redis/lua-script.js';

const READ_PACE = loadScript<[runs: string[], active: number, ages: number[]]>(join(__dirname, 'read-throughput.lua'));

/**
 * How many jobs of a queue end in a second while some wait: as many as run now, over how long one takes. That is the average of the last
 * runs, or for how long those run already that have not ended, if that is longer. Time in which nothing ran does not count. Undefined
 * where no run is remembered. One command.
 */
export async function throughputOf(redis: Redis, queue: QueueName, now = Date.now()): Promise<number | undefined> {
  const [runs, active, ages] = await READ_PACE.run(
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

/** How long a run takes that is quicker than half of the last ones, in ms; undefined where none is remembered. One command. */
export async function medianMs(redis: Redis, name: string): Promise<number | undefined> {
  const runs = (await redis.lrange(keys.runs(name), 0, -1)).map(Number).toSorted((a, b) => a - b);
  return runs[Math.floor(runs.length / 2)];
}
