import { randomUUID } from 'node:crypto';
import { ToolError } from '@errand/contracts';
import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { TELL_STATUS } from './event-log.js';
import { toJobError } from './failure-text.js';
import { FIELD, keys, type WorkQueue } from './names.js';
import type { InvocationRecord } from './record.js';
import { LuaScript } from './run-lua.js';

/** Long enough to fail a job that was taken to be cancelled; who dies in between leaves it to the next worker, who sees the wish. */
const HOLD_MS = 10_000;

/**
 * Stores the wish and, where nobody runs the job, takes it in hand for its end: out of whatever set it waits in, under a lock,
 * as a worker would. Where somebody runs it, every process is told. Where nobody wishes the end of one that was put back, listeners
 * are told that it waits again. A waiting list has the newest first, and ids are in the order of time: it is looked for from the
 * nearer end, and not at all while somebody holds its lock.
 *
 * KEYS: 1 job, 2 lock, 3 wait, 4 prioritized, 5 delayed, 6 active, 7 channel of wishes, 8 of news, 9 events.
 * ARGV: 1 id, 2 now (ms), 3 lock's token, 4 ms to hold it, 5 '1': this is a wish; '0': only if there is one,
 *   6 now (ISO 8601) where it is an invocation, else ''.
 */
const TAKE_TO_CANCEL = new LuaScript<'missing' | 'ended' | 'unwished' | 'running' | 'taken'>(`
${TELL_STATUS}
if redis.call('EXISTS', KEYS[1]) == 0 then return 'missing' end
if redis.call('HEXISTS', KEYS[1], 'finishedOn') == 1 then return 'ended' end
if ARGV[5] == '1' then redis.call('HSETNX', KEYS[1], '${FIELD.cancel}', ARGV[2])
elseif redis.call('HEXISTS', KEYS[1], '${FIELD.cancel}') == 0 then
  local waits = redis.call('EXISTS', KEYS[2]) + redis.call('HEXISTS', KEYS[1], '${FIELD.parked}') == 0
  if ARGV[6] ~= '' and waits then tellStatus(KEYS[1], KEYS[9], ARGV[1], 'queued', ARGV[6]) end
  redis.call('PUBLISH', KEYS[8], ARGV[1])
  return 'unwished'
end
local found = redis.call('ZREM', KEYS[5], ARGV[1]) + redis.call('ZREM', KEYS[4], ARGV[1])
if found == 0 and redis.call('EXISTS', KEYS[2]) == 0 then
  local middle = redis.call('LINDEX', KEYS[3], math.floor(redis.call('LLEN', KEYS[3]) / 2))
  found = redis.call('LREM', KEYS[3], middle and ARGV[1] < middle and -1 or 1, ARGV[1])
end
if found == 0 then
  redis.call('PUBLISH', KEYS[7], ARGV[1])
  return 'running'
end
redis.call('LPUSH', KEYS[6], ARGV[1])
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
return 'taken'`);

/** `cancelling`: whoever runs it has been told, and stores its end. */
export type Cancelled = 'cancelled' | 'cancelling' | 'ended';

/** With `settle`, only where its end has been wished already: for one that was put back to wait just then. */
export async function cancelJob(
  redis: Redis,
  queue: WorkQueue,
  job: Job,
  mode: 'wish' | 'settle',
): Promise<Cancelled | undefined> {
  const id = job.id!;
  const now = new Date();
  const isInvocation = (job.data as InvocationRecord).parent === undefined;
  const token = `cancel:${randomUUID()}`;
  const sets = (['wait', 'prioritized', 'delayed', 'active'] as const).map((set) => keys.set(queue, set));
  const done = await TAKE_TO_CANCEL.run(
    redis,
    [keys.job(queue, id), keys.lock(queue, id), ...sets, keys.cancels, keys.news, keys.events(id)],
    [id, now.getTime(), token, HOLD_MS, mode === 'wish' ? 1 : 0, isInvocation ? now.toISOString() : ''],
  );
  if (done === 'missing' || done === 'unwished') return undefined;
  if (done === 'ended') return 'ended';
  if (done === 'running') return 'cancelling';
  await job.moveToFailed(toJobError(cancelledByWish()), token);
  return 'cancelled';
}

/** Why a job ends that somebody cancelled. */
export function cancelledByWish(): ToolError {
  return new ToolError('CancelledError', 'The invocation was cancelled');
}
