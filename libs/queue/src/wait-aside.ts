import type { Redis } from 'ioredis';
import type { Pace } from './delivery-places.js';
import { requireHeld } from './keep-locks.js';
import { DELIVERIES, keys } from './names.js';
import { LuaScript } from './run-lua.js';

/** A delivery that waits aside looks again after this, at the soonest and at the latest, should nobody be left to call it. */
const MIN_ASIDE_MS = 1_000;
const MAX_ASIDE_MS = 60_000;
/** What nobody has called for so long has come by its time. */
const KEEP_SECONDS = 3_600;
/** Entries of deliveries that have been called by their time are passed over: so many in one go. */
const PASSED_OVER = 1_000;

/**
 * Moves a delivery in hand to the delayed ones, as BullMQ's `moveToDelayed` does, and notes in the same step that any process may call it:
 * until twice the time is over in which it should have had its turn behind those that wait already.
 *
 * KEYS: 1 job, 2 lock, 3 stalled, 4 active, 5 delayed, 6 marker, 7 who waits aside for the receiver.
 * ARGV: 1 id, 2 lock's token, 3 now (ms), 4 places at the receiver, 5 ms that an attempt takes.
 * Returns 0 where the delivery is no longer in our hands, -1 where its lock has lapsed.
 */
const PUT = new LuaScript<-1 | 0 | 1>(`
local holder = redis.call('GET', KEYS[2])
if holder ~= ARGV[2] then return holder and 0 or -1 end
if redis.call('LREM', KEYS[4], -1, ARGV[1]) < 1 then return 0 end
redis.call('DEL', KEYS[2])
redis.call('SREM', KEYS[3], ARGV[1])
local rounds = math.ceil((redis.call('ZCARD', KEYS[7]) + 1) / ARGV[4])
local ms = math.ceil(math.min(math.max(2 * rounds * ARGV[5], ${MIN_ASIDE_MS}), ${MAX_ASIDE_MS}))
local due = ARGV[3] + ms
redis.call('HSET', KEYS[1], 'delay', ms)
redis.call('ZADD', KEYS[5], due * 0x1000, ARGV[1])
redis.call('ZADD', KEYS[7], due, ARGV[1])
redis.call('EXPIRE', KEYS[7], ${KEEP_SECONDS})
local first = redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')
redis.call('ZADD', KEYS[6], first[2] / 0x1000, '1')
return 1`);

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

/** @throws SupersededError where another process has the delivery by now; LockLapsedError */
export async function putAside(
  redis: Redis,
  receiver: string,
  { id, token }: { id: string; token: string },
  { places, usualMs }: Pace,
): Promise<void> {
  const sets = (['stalled', 'active', 'delayed', 'marker'] as const).map((set) => keys.set(DELIVERIES, set));
  const put = await PUT.run(
    redis,
    [keys.job(DELIVERIES, id), keys.lock(DELIVERIES, id), ...sets, keys.aside(receiver)],
    [id, token, Date.now(), places, usualMs],
  );
  requireHeld(id, put);
}

/** Calls up to `count` of those that wait aside for a receiver. One command. */
export async function callAside(redis: Redis, receiver: string, count: number): Promise<void> {
  const sets = (['delayed', 'marker'] as const).map((set) => keys.set(DELIVERIES, set));
  await CALL.run(redis, [keys.aside(receiver), ...sets], [Date.now(), count]);
}
