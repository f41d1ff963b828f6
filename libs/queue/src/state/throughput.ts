import type { Redis } from 'ioredis';
import { keys, type QueueName } from '../redis/names.js';
import { LuaScript } from '../redis/lua-script.js';

/** So many of the last runs of a tool, and of a queue, are remembered by how long they took, for so long after the last. */
const REMEMBERED_RUNS = 63;
const KEEP_RUNS_SECONDS = 7 * 86_400;
/** Of the jobs that run, so many are asked since when. */
const SAMPLED = 16;

/** `remember(runs, ms)`, for scripts: how long a run took. */
export const REMEMBER = `
local function remember(runs, ms)
  redis.call('LPUSH', runs, math.max(0, ms))
  redis.call('LTRIM', runs, 0, ${REMEMBERED_RUNS - 1})
  redis.call('EXPIRE', runs, ${KEEP_RUNS_SECONDS})
end
`;

/**
 * KEYS: 1 runs of the queue, 2 active.  ARGV: 1 what keys of jobs begin with, 2 now (ms).
 * Returns how long the last runs took (ms), how many jobs run, and for how long those do (ms) that began first.
 */
const READ_PACE = new LuaScript<[runs: string[], active: number, ages: number[]]>(`
local ages = {}
for _, id in ipairs(redis.call('LRANGE', KEYS[2], ${-SAMPLED}, -1)) do
  local started = redis.call('HGET', ARGV[1] .. id, 'processedOn')
  if started then ages[#ages + 1] = math.max(0, ARGV[2] - started) end
end
return { redis.call('LRANGE', KEYS[1], 0, -1), redis.call('LLEN', KEYS[2]), ages }`);

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
export async function usualMs(redis: Redis, name: string): Promise<number | undefined> {
  const runs = (await redis.lrange(keys.runs(name), 0, -1)).map(Number).toSorted((a, b) => a - b);
  return runs[Math.floor(runs.length / 2)];
}
