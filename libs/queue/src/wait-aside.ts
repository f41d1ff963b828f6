import type { Redis } from 'ioredis';
import { DELIVERIES, keys } from './names.js';
import { LuaScript } from './run-lua.js';

/** What nobody has called for so long has been called by its time. */
const KEEP_SECONDS = 3_600;
/** Entries of deliveries that have been called by their time are passed over: so many in one go. */
const PASSED_OVER = 1_000;

/**
 * Makes this the time of deliveries that wait aside, the longest first. What has come by its time, or was put off since by a failed
 * attempt, is no longer delayed until when it was put aside, and is left alone.
 *
 * KEYS: 1 who waits aside for the receiver, 2 delayed, 3 marker.  ARGV: 1 now (ms), 2 how many.
 */
const CALL = new LuaScript<null>(`
local called = 0
for _ = 1, ${PASSED_OVER} do
  if called == tonumber(ARGV[2]) then break end
  local id, due = unpack(redis.call('ZPOPMIN', KEYS[1]))
  if not id then break end
  local score = redis.call('ZSCORE', KEYS[2], id)
  if score and math.floor(score / 0x1000) == tonumber(due) then
    redis.call('ZADD', KEYS[2], ARGV[1] * 0x1000, id)
    called = called + 1
  end
end
if called > 0 then redis.call('ZADD', KEYS[3], ARGV[1], '1') end`);

/** How many deliveries wait aside for a receiver, at the most. */
export function countAside(redis: Redis, receiver: string): Promise<number> {
  return redis.zcard(keys.aside(receiver));
}

/** Notes a delivery that was just delayed until `due` (ms) because its receiver had no place left: any process may call it. */
export async function noteAside(redis: Redis, receiver: string, id: string, due: number): Promise<void> {
  const key = keys.aside(receiver);
  await Promise.all([redis.zadd(key, due, id), redis.expire(key, KEEP_SECONDS)]);
}

/** Calls up to `count` of those that wait aside for a receiver. One command. */
export async function callAside(redis: Redis, receiver: string, count: number): Promise<void> {
  const sets = (['delayed', 'marker'] as const).map((set) => keys.set(DELIVERIES, set));
  await CALL.run(redis, [keys.aside(receiver), ...sets], [Date.now(), count]);
}
