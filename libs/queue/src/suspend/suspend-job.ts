import type { Redis } from 'ioredis';
import type { Queues } from '../redis/connect.js';
import { TELL_STATUS } from '../state/event-log.js';
import { memberOf, standingKey } from '../state/search-index.js';
import { requireHeld } from '../bullmq/keep-locks.js';
import { FIELD, keys, keysBeside, type WorkQueue } from '../redis/names.js';
import { LuaScript } from '../redis/lua-script.js';

/** Parked without a deadline: so late that only an answer wakes it. BullMQ's scores are exact until 2039. */
const UNTIL_ANSWERED_MS = 10 * 365 * 86_400_000;
const DEFINITION_SPARE_SECONDS = 90 * 86_400;

/** Thrown by a handler: the job is to leave its process until `until` (ms since 1970), or until an answer has come for it. */
export class ParkJob extends Error {
  constructor(
    readonly until: number | undefined,
    readonly waitsFor: 'time' | 'answer',
  ) {
    super('The job is parked');
    this.name = 'ParkJob';
  }
}

/**
 * Moves a job in hand to the delayed ones, as BullMQ's `moveToDelayed` does, in one step with its marks: where an answer or a wish
 * for its end has come meanwhile, its time is now. Neither this start nor the next counts as an attempt, and the deaths of earlier
 * processes are forgotten: all that they did is settled.
 *
 * KEYS: 1 job, 2 lock, 3 stalled, 4 active, 5 delayed, 6 marker, 7 channel of news, 8 parked in the index, 9 events, 10 and on: where
 *   else it may be in the index.
 * ARGV: 1 id, 2 lock's token, 3 now (ms), 4 when to wake it (ms), 5 what it waits for, 6 as what it is in the index, 7 now (ISO 8601).
 * Returns 0 where the job is no longer in our hands, -1 where its lock has lapsed.
 */
const PARK = new LuaScript<-1 | 0 | 1>(`
${TELL_STATUS}
local holder = redis.call('GET', KEYS[2])
if holder ~= ARGV[2] then return holder and 0 or -1 end
if redis.call('LREM', KEYS[4], -1, ARGV[1]) < 1 then return 0 end
redis.call('DEL', KEYS[2])
redis.call('SREM', KEYS[3], ARGV[1])
redis.call('HSETNX', KEYS[1], '${FIELD.begunAt}', redis.call('HGET', KEYS[1], 'processedOn'))
local due, parked = tonumber(ARGV[4]), ARGV[5]
if redis.call('HEXISTS', KEYS[1], '${FIELD.answered}') + redis.call('HEXISTS', KEYS[1], '${FIELD.cancel}') > 0 then
  due, parked = tonumber(ARGV[3]), 'woken'
end
redis.call('HSET', KEYS[1], '${FIELD.parked}', parked, 'stc', 0, 'delay', math.max(0, due - ARGV[3]))
redis.call('ZADD', KEYS[5], due * 0x1000, ARGV[1])
local first = redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')
redis.call('ZADD', KEYS[6], first[2] / 0x1000, '1')
for n = 10, #KEYS do redis.call('ZREM', KEYS[n], ARGV[6]) end
redis.call('ZADD', KEYS[8], 0, ARGV[6])
if parked == 'answer' then tellStatus(KEYS[1], KEYS[9], ARGV[1], 'waiting_external', ARGV[7]) end
redis.call('PUBLISH', KEYS[7], ARGV[1])
return 1`);

/** @throws SupersededError where another process has the job by now; LockLapsedError */
export async function parkJob(
  redis: Redis,
  queue: WorkQueue,
  { id, token, tenant }: { id: string; token: string; tenant: string },
  { until, waitsFor }: ParkJob,
): Promise<void> {
  const now = Date.now();
  const sets = (['stalled', 'active', 'delayed', 'marker'] as const).map((set) => keys.set(queue, set));
  const [parkedSet = '', ...others] = (['parked', `waiting:${queue}`, 'later'] as const).map((set) =>
    standingKey(tenant, set),
  );
  const parked = await PARK.run(
    redis,
    [keys.job(queue, id), keys.lock(queue, id), ...sets, keys.news, parkedSet, keys.events(id), ...others],
    [id, token, now, until ?? now + UNTIL_ANSWERED_MS, waitsFor, memberOf(id), new Date(now).toISOString()],
  );
  requireHeld(id, parked);
}

/** Keeps all that a parked invocation needs until it may go on, and as long after that as ever. */
export async function keepBeside(
  queues: Queues,
  id: string,
  digests: readonly string[],
  until: number | undefined,
): Promise<void> {
  const now = Date.now();
  const seconds = Math.ceil(Math.max(0, (until ?? now + UNTIL_ANSWERED_MS) - now) / 1_000);
  const definitions = digests.map((digest) => keys.definition(digest));
  await Promise.all([
    keepLonger(queues.redis, keysBeside(id), seconds + queues.retention.ageSeconds),
    keepLonger(queues.redis, definitions, seconds + DEFINITION_SPARE_SECONDS),
  ]);
}

/** Ends what `keepBeside` asked for: from now on it is kept as long as anything that has ended. */
export async function releaseBeside(queues: Queues, id: string): Promise<void> {
  const pipeline = queues.redis.pipeline();
  for (const key of keysBeside(id)) pipeline.expire(key, queues.retention.ageSeconds);
  await pipeline.exec();
}

/** KEYS: any.  ARGV: 1 seconds.  (`EXPIRE … GT` does the same from Redis 7 on.) */
const KEEP_LONGER = new LuaScript<null>(`
for _, key in ipairs(KEYS) do
  local left = redis.call('TTL', key)
  if left >= 0 and left < tonumber(ARGV[1]) then redis.call('EXPIRE', key, ARGV[1]) end
end`);

/** Sees to it that these keys, as far as they are there, are kept for so long at least. */
export async function keepLonger(redis: Redis, names: readonly string[], seconds: number): Promise<void> {
  await KEEP_LONGER.run(redis, names, [seconds]);
}
