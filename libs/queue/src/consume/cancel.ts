import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ToolError } from '@errand/contracts';
import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { jobIdOf } from '../bullmq/layout.js';
import type { Queues } from '../redis/connect.js';
import { endOf, type EndedJob } from './ended-job.js';
import { findJob, type FoundJob } from '../state/find-job.js';
import { openLife } from '../state/open-life.js';
import type { TenantReach } from '../state/tenant-reach.js';
import { keysOf } from '../redis/names.js';
import { type WorkQueue, labelOf } from '../redis/queue-names.js';
import { settleSession } from '../sessions/session-life.js';
import { resetRetention } from '../suspend/suspend-job.js';
import { loadScript } from '../redis/lua-script.js';
import { changedKey, memberOf } from '../state/search-index.js';
import { resumeWaiters } from '../suspend/waiters.js';
import { toJobError } from './retry-policy.js';
import type { InvocationRecord } from '../state/record.js';
import type { NotificationHub } from '../suspend/notifications.js';

/**
 * Cancels an invocation and the scripts that run for it. A second call during the cancel returns the same result. Returns undefined if it
 * does not exist, or belongs to a tenant out of reach.
 * @param reason one line of text, or ''. The reason of the first cancel request is kept
 */
export async function cancelInvocation(
  queues: Queues,
  reach: TenantReach,
  id: string,
  reason = '',
): Promise<Cancelled | undefined> {
  const found = await findJob(queues, reach, id);
  if (!found) return undefined;
  const done = await cancelJob(queues.redis, found.queue, found.job, 'request', reason);
  if (done === 'has_children') return cancelWithChildren(queues, found, reason);
  await settleCancel(queues, found, done);
  return done;
}

/**
 * Cancels an invocation for which scripts or tasks of other servers were started. If one still runs, a worker stores the end when that is
 * gone. The cancel request of the invocation is stored already. A worker that is woken meanwhile ends the invocation by that request.
 */
async function cancelWithChildren(queues: Queues, found: FoundJob, reason: string): Promise<Cancelled | undefined> {
  const { queue, job } = found;
  const children = await cancelChildren(queues, jobIdOf(job));
  const running = children.filter(({ done }) => done === 'cancelling');
  await Promise.all(running.map((child) => resumeWaiters(queues, child.id)));
  if (running.length > 0 || (await wakeToEndTasks(queues, jobIdOf(job)))) return 'cancelling';
  const done = cancelled(await cancelJob(queues.redis, queue, job, 'settle', reason));
  await settleCancel(queues, found, done);
  return done === 'ended' ? 'cancelled' : done;
}

/** A worker ends a job with children, so that its cancel is not complete yet. */
const cancelled = (done: Cancelled | 'has_children' | undefined) => (done === 'has_children' ? 'cancelling' : done);

/** Does what follows the cancel of a job. */
async function settleCancel(queues: Queues, { job }: FoundJob, done: Cancelled | undefined): Promise<void> {
  if (done === 'cancelled') {
    queues.events.emit('ended', endWithoutSlot(job));
    await Promise.all([resetRetention(queues, jobIdOf(job)), settleSession(queues, job.data)]);
  }
  if (done === 'cancelling') await cancelChildren(queues, jobIdOf(job));
}

/** Describes a job that waited until its cancel. The time since its last start is not a run. */
export function endWithoutSlot(job: Parameters<typeof endOf>[0]): EndedJob {
  const end = endOf(job);
  delete end.ranMs;
  return end;
}

/** The time to end a job that was taken. If this process dies meanwhile, the next worker sees the cancel request. */
const LOCK_MS = 10_000;

const TAKE_TO_CANCEL = loadScript<'missing' | 'ended' | 'not_requested' | 'has_children' | 'running' | 'taken'>(
  join(__dirname, 'take-to-cancel.lua'),
);

/** `cancelling`: the process that runs the job has been notified, and will store the end. */
export type Cancelled = 'cancelled' | 'cancelling' | 'ended';

/**
 * Stores a cancel request and ends a waiting job, unless scripts or tasks of other servers may run for it: such a job stays, and the result is
 * `has_children`. Mode `settle` stores no request: it only ends a job that has one already, after the job was put back to wait.
 */
export async function cancelJob(
  redis: Redis,
  queue: WorkQueue,
  job: Job,
  mode: 'request' | 'settle',
  reason = '',
): Promise<Cancelled | 'has_children' | undefined> {
  const keys = keysOf(redis);
  const id = jobIdOf(job);
  const now = new Date();
  const { tenant, parent } = job.data as InvocationRecord;
  // end-job.lua recognises the prefix: the job holds no slot, so that its end is not charged.
  const token = `cancel:${randomUUID()}`;
  const sets = (['wait', 'prioritized', 'delayed', 'active'] as const).map((set) => keys.set(queue, set));
  const done = await TAKE_TO_CANCEL.run(
    redis,
    [
      keys.job(queue, id),
      keys.lock(queue, id),
      ...sets,
      keys.cancelRequests,
      keys.notifications,
      keys.events(id),
      keys.submittedLater(queue),
      changedKey(keys, tenant),
      keys.changeClock,
      keys.children(id),
    ],
    [
      id,
      now.getTime(),
      token,
      LOCK_MS,
      mode === 'request' ? 1 : 0,
      parent ? '' : now.toISOString(),
      reason,
      memberOf(id),
      keys.job(queue, ''),
      job.attemptsStarted,
    ],
  );
  if (done === 'missing' || done === 'not_requested') return undefined;
  if (done === 'ended' || done === 'has_children') return done;
  if (done === 'running') return 'cancelling';
  await job.moveToFailed(toJobError(cancelledByRequest(reason)), token);
  return 'cancelled';
}

/** The error of a cancelled job. Its reason is data of a caller: it is shown as it is and never interpreted. */
export function cancelledByRequest(reason = ''): ToolError {
  const message = 'The invocation was cancelled';
  if (reason === '') return new ToolError('CancelledError', message);
  return new ToolError('CancelledError', `${message}: ${reason}`, { reason });
}

/** The longest wait for cancelled scripts. A script of a dead runner ends without a report. */
const CHILDREN_END_MS = 15_000;

/** The job of a script that runs for a step of an invocation, or the invocation that runs the calls of a turn. */
export interface Child {
  id: string;
  queue: WorkQueue;
}

/**
 * Records a child with its invocation before the job is added, so that a cancel or removal of the invocation finds it. Returns the queue of
 * the first record: the job stays the same even if its tool requests another label by now. One round trip.
 */
export async function recordChild(queues: Queues, invocationId: string, { id, queue }: Child): Promise<WorkQueue> {
  const keys = keysOf(queues.redis);
  const children = keys.children(invocationId);
  const label = labelOf(queue);
  // No transaction: after a failover, single commands are sent again, transactions fail.
  const pipeline = queues.redis.pipeline().hsetnx(children, id, queue).expire(children, openLife(queues.retention));
  if (label !== undefined) pipeline.sadd(keys.labels, label);
  const replies = (await pipeline.hget(children, id).exec()) ?? [];
  for (const [error] of replies) if (error) throw error;
  return replies.at(-1)?.[1] as WorkQueue;
}

/** Stands in place of the queue of a task that another server runs. */
const REMOTE = 'remote';

/** Notes that another server runs a task for an invocation, so that a cancel while it is suspended wakes a worker. */
export async function noteRemoteTask(queues: Queues, invocationId: string, field: string): Promise<void> {
  const keys = keysOf(queues.redis);
  const children = keys.children(invocationId);
  const pipeline = queues.redis.pipeline().hset(children, field, REMOTE).expire(children, openLife(queues.retention));
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
}

/** Wakes a suspended invocation for which other servers run tasks: a worker ends them. Returns whether there are any. */
async function wakeToEndTasks(queues: Queues, invocationId: string): Promise<boolean> {
  const keys = keysOf(queues.redis);
  const recorded = Object.values(await queues.redis.hgetall(keys.children(invocationId)));
  if (!recorded.includes(REMOTE)) return false;
  const ended = `tasks of ${invocationId}`;
  await queues.redis.sadd(keys.waiters(ended), invocationId);
  await resumeWaiters(queues, ended);
  return true;
}

/** All recorded scripts of an invocation. */
export async function childrenOf(queues: Queues, invocationId: string): Promise<Child[]> {
  const keys = keysOf(queues.redis);
  const recorded = await queues.redis.hgetall(keys.children(invocationId));
  return Object.entries(recorded)
    .filter(([, queue]) => queue !== REMOTE)
    .map(([id, queue]) => ({ id, queue: queue as WorkQueue }));
}

/** Requests the cancel of every script of an invocation, and returns the result for each. */
async function cancelChildren(queues: Queues, invocationId: string): Promise<(Child & { done?: Cancelled })[]> {
  const children = await childrenOf(queues, invocationId);
  return Promise.all(
    children.map(async (child) => {
      const done = await cancelChild(queues, child);
      return { ...child, ...(done && { done }) };
    }),
  );
}

/** Returns undefined if the job does not exist. The calls of a turn are an invocation, which can have children of its own. */
export async function cancelChild(queues: Queues, { id, queue }: Child): Promise<Cancelled | undefined> {
  const job = await queues.shardOf(id).of(queue).getJob(id);
  if (!job) return undefined;
  const { parent, tenant } = job.data;
  return parent
    ? cancelled(await cancelJob(queues.redis, queue, job, 'request'))
    : cancelInvocation(queues.shardOf(id), tenant, id, 'Its turn was ended');
}

/** Cancels every script of an invocation, and waits until they have ended. */
export async function endChildren(queues: Queues, notifications: NotificationHub, invocationId: string): Promise<void> {
  const limit = AbortSignal.timeout(CHILDREN_END_MS);
  const children = await cancelChildren(queues, invocationId);
  await Promise.all(
    children.map(({ id, queue }) =>
      notifications.until(id, limit, async () => {
        const job = await queues.shardOf(id).of(queue).getJob(id);
        return !job || job.finishedOn ? true : undefined;
      }),
    ),
  );
}

/**
 * Removes the failed scripts of an invocation, so that the next attempt runs them again. The attempt that saw the failure calls this.
 */
export async function removeFailedChildren(queues: Queues, invocationId: string): Promise<void> {
  const children = await childrenOf(queues, invocationId);
  await Promise.all(
    children.map(async ({ id, queue }) => {
      const job = await queues.of(queue).getJob(id);
      const isScript = job?.data.parent !== undefined;
      if (isScript && job?.finishedOn && !job.returnvalue) await job.remove();
    }),
  );
}
