import { cancelChildren } from './children.js';
import { cancelJob, type Cancelled } from './cancel-job.js';
import type { Queues } from './connect.js';
import { endOf } from './ended-job.js';
import { findJob, type FoundJob } from './find-job.js';
import { FIELD, keys } from './names.js';
import { releaseBeside } from './park-job.js';
import { LuaScript } from './run-lua.js';
import { wakeWaiters } from './wake-waiters.js';

/**
 * Cancels an invocation and the scripts that run for it. Asked again while it is being cancelled, it gives the same answer.
 * Undefined where there is no such invocation for this tenant.
 */
export async function cancelInvocation(queues: Queues, tenant: string, id: string): Promise<Cancelled | undefined> {
  const found = await findJob(queues, tenant, id);
  if (!found) return undefined;
  return (await isWishedWhileParked(queues, found)) ? cancelParked(queues, found) : cancelOther(queues, found);
}

/**
 * Of one that is parked while a script of it runs, the end is left to a worker: that says so when the script is gone. The wish stands
 * before the script is told of it, so that whatever comes of that is void: a worker that was woken meanwhile has ended it by that wish.
 */
async function cancelParked(queues: Queues, found: FoundJob): Promise<Cancelled | undefined> {
  const children = await cancelChildren(queues, found.job.id!);
  const running = children.filter(({ done }) => done === 'cancelling');
  await Promise.all(running.map((child) => wakeWaiters(queues, child.id)));
  if (running.length > 0) return 'cancelling';
  const done = await cancelOther(queues, found);
  return done === 'ended' ? 'cancelled' : done;
}

async function cancelOther(queues: Queues, { queue, job }: FoundJob): Promise<Cancelled | undefined> {
  const done = await cancelJob(queues.redis, queue, job, 'wish');
  if (done === 'cancelled') {
    queues.news.emit('ended', endOf(job));
    await releaseBeside(queues, job.id!);
  }
  if (done === 'cancelling') await cancelChildren(queues, job.id!);
  return done;
}

/**
 * Stores the wish in one that is parked.
 *
 * KEYS: 1 job.  ARGV: 1 now (ms).  Returns 1 if it is parked.
 */
const WISH_PARKED = new LuaScript<0 | 1>(`
if redis.call('HEXISTS', KEYS[1], 'finishedOn') == 1 or redis.call('HEXISTS', KEYS[1], '${FIELD.parked}') == 0 then return 0 end
redis.call('HSETNX', KEYS[1], '${FIELD.cancel}', ARGV[1])
return 1`);

async function isWishedWhileParked({ redis }: Queues, { queue, job }: FoundJob): Promise<boolean> {
  return (await WISH_PARKED.run(redis, [keys.job(queue, job.id!)], [Date.now()])) === 1;
}
