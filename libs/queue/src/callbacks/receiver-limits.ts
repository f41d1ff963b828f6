import type { Redis } from 'ioredis';
import { requireHeld } from '../bullmq/keep-locks.js';
import { DELIVERIES, keys } from '../redis/names.js';
import { LuaScript } from '../redis/lua-script.js';

/** How many receivers are remembered by their last attempts. */
const REMEMBERED = 10_000;
/** How much of what is known of a receiver's pace its last attempt says; and how quick one is thought to be of whom nothing is known. */
const NEWEST = 0.25;
const UNKNOWN_MS = 100;

/** What the last attempts say of a receiver. */
export interface Pace {
  places: number;
  /** How long an attempt takes, more or less. */
  usualMs: number;
}

/**
 * How many deliveries one process sends to one receiver at a time. Each failure halves the places of its receiver, down to one, and each
 * success adds one again: many receivers that hang must not take all there is.
 */
export class DeliveryPlaces {
  private readonly busy = new Map<string, number>();
  private readonly known = new Map<string, Pace>();

  constructor(private readonly perReceiver: number) {}

  /** Whether a delivery may be sent now; if so, `leave` must follow. */
  take(receiver: string): boolean {
    if (this.room(receiver) === 0) return false;
    this.busy.set(receiver, this.taken(receiver) + 1);
    return true;
  }

  /** @param tookMs how long the attempt took */
  leave(receiver: string, succeeded: boolean, tookMs: number): void {
    const left = this.taken(receiver) - 1;
    if (left > 0) this.busy.set(receiver, left);
    else this.busy.delete(receiver);
    const { usualMs = tookMs } = this.known.get(receiver) ?? {};
    const before = this.paceOf(receiver).places;
    const places = succeeded ? Math.min(before + 1, this.perReceiver) : Math.max(Math.floor(before / 2), 1);
    this.known.delete(receiver);
    this.known.set(receiver, { places, usualMs: usualMs + NEWEST * (tookMs - usualMs) });
    if (this.known.size > REMEMBERED) this.known.delete(this.known.keys().next().value as string);
  }

  /** How many places are free. */
  room(receiver: string): number {
    return Math.max(0, this.paceOf(receiver).places - this.taken(receiver));
  }

  paceOf(receiver: string): Pace {
    return this.known.get(receiver) ?? { places: this.perReceiver, usualMs: UNKNOWN_MS };
  }

  private taken(receiver: string): number {
    return this.busy.get(receiver) ?? 0;
  }
}

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
