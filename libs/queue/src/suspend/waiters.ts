import type { Redis } from 'ioredis';
import { FIELD, keys, QUEUE_NAMES } from '../redis/names.js';
import { LuaScript } from '../redis/lua-script.js';

/**
 * `wake`, for a script: makes this the time of every invocation that waits for another; one that has not parked yet will not. Waiters
 * are invocations of the worker's; `jobs` is what the keys of their jobs begin with.
 */
export const WAKE = `
local function wake(waiters, delayed, marker, now, jobs)
  local ids = redis.call('SMEMBERS', waiters)
  for _, id in ipairs(ids) do
    local job = jobs .. id
    if redis.call('HEXISTS', job, 'timestamp') == 1 and redis.call('HEXISTS', job, 'finishedOn') == 0 then
      redis.call('HSET', job, '${FIELD.answered}', 1)
      if redis.call('HEXISTS', job, '${FIELD.parked}') == 1 and redis.call('ZSCORE', delayed, id) then
        redis.call('HSET', job, '${FIELD.parked}', 'woken')
        redis.call('ZADD', delayed, now * 0x1000, id)
        redis.call('ZADD', marker, now, '1')
      end
    end
  end
  if #ids > 0 then redis.call('DEL', waiters) end
end
`;

/** KEYS: 1 waiters, 2 delayed, 3 marker.  ARGV: 1 now (ms), 2 what jobs are named by. */
const WAKE_NOW = new LuaScript<null>(`${WAKE}wake(KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[1]), ARGV[2])`);

/** KEYS: 1 waiters, 2 and on: where the job may be that is waited for.  ARGV: 1 who waits.  Returns 1 if there is an end to come. */
const NOTE_WAITER = new LuaScript<0 | 1>(`
for n = 2, #KEYS do
  if redis.call('HEXISTS', KEYS[n], 'timestamp') == 1 and redis.call('HEXISTS', KEYS[n], 'finishedOn') == 0 then
    redis.call('SADD', KEYS[1], ARGV[1])
    return 1
  end
end
return 0`);

/** What wakes those who wait for this invocation. */
export function wakeKeys(id: string): string[] {
  return [keys.waiters(id), keys.set('invocations', 'delayed'), keys.set('invocations', 'marker')];
}

export function wakeArgs(): (string | number)[] {
  return [Date.now(), keys.job('invocations', '')];
}

/**
 * Notes that `waiter`, which is about to park, is to be woken when the invocation `id` ends. Whatever ends it does that in the same
 * step. Where it has ended already nothing is noted: the waiter looks once more before it parks.
 * @param jobs where its job may be: the keys
 */
export async function noteWaiter(
  { redis }: { redis: Redis },
  id: string,
  waiter: string,
  jobs: readonly string[] = QUEUE_NAMES.map((queue) => keys.job(queue, id)),
): Promise<void> {
  await NOTE_WAITER.run(redis, [keys.waiters(id), ...jobs], [waiter]);
}

/** Wakes those who wait for the invocation though it has not ended: a step of it has. */
export async function wakeWaiters({ redis }: { redis: Redis }, id: string): Promise<void> {
  await WAKE_NOW.run(redis, wakeKeys(id), wakeArgs());
}
