import { join } from 'node:path';
import type { Queues } from '../redis/connect.js';
import { endOf } from './ended-job.js';
import { findJob, type FoundJob } from '../state/find-job.js';
import { keys, type WorkQueue, labelOf } from '../redis/names.js';
import { resetRetention } from '../suspend/suspend-job.js';
import { loadScript } from '../redis/lua-script.js';
import { resumeWaiters } from '../suspend/waiters.js';
import { randomUUID } from 'node:crypto';
import { ToolError } from '@errand/contracts';
import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { toJobError } from './retry-policy.js';
import type { InvocationRecord } from '../state/record.js';
import type { NotificationHub } from '../suspend/notifications.js';

/**
 * Cancels an invocation and the scripts that run for it. Asked again while it is being cancelled, it gives the same answer.
 * Undefined where there is no such invocation for this tenant.
 */
export async function cancelInvocation(queues: Queues, tenant: string, id: string): Promise<Cancelled | undefined> {
  const found = await findJob(queues, tenant, id);
  if (!found) return undefined;
  return (await requestCancelOfSuspended(queues, found)) ? cancelSuspended(queues, found) : cancelOther(queues, found);
}

/**
 * Of one that is parked while a script of it runs, the end is left to a worker: that says so when the script is gone. The wish stands
 * before the script is told of it, so that whatever comes of that is void: a worker that was woken meanwhile has ended it by that wish.
 */
async function cancelSuspended(queues: Queues, found: FoundJob): Promise<Cancelled | undefined> {
  const children = await cancelChildren(queues, found.job.id!);
  const running = children.filter(({ done }) => done === 'cancelling');
  await Promise.all(running.map((child) => resumeWaiters(queues, child.id)));
  if (running.length > 0) return 'cancelling';
  const done = await cancelOther(queues, found);
  return done === 'ended' ? 'cancelled' : done;
}

async function cancelOther(queues: Queues, { queue, job }: FoundJob): Promise<Cancelled | undefined> {
  const done = await cancelJob(queues.redis, queue, job, 'request');
  if (done === 'cancelled') {
    queues.events.emit('ended', endOf(job));
    await resetRetention(queues, job.id!);
  }
  if (done === 'cancelling') await cancelChildren(queues, job.id!);
  return done;
}

const REQUEST_CANCEL = loadScript<0 | 1>(join(__dirname, 'request-cancel-of-suspended.lua'));

async function requestCancelOfSuspended({ redis }: Queues, { queue, job }: FoundJob): Promise<boolean> {
  return (await REQUEST_CANCEL.run(redis, [keys.job(queue, job.id!)], [Date.now()])) === 1;
}

/** Long enough to fail a job that was taken to be cancelled; who dies in between leaves it to the next worker, who sees the wish. */
const LOCK_MS = 10_000;

const TAKE_TO_CANCEL = loadScript<'missing' | 'ended' | 'not_requested' | 'running' | 'taken'>(
  join(__dirname, 'take-to-cancel.lua'),
);

/** `cancelling`: whoever runs it has been told, and stores its end. */
export type Cancelled = 'cancelled' | 'cancelling' | 'ended';

/** With `settle`, only where its end has been wished already: for one that was put back to wait just then. */
export async function cancelJob(
  redis: Redis,
  queue: WorkQueue,
  job: Job,
  mode: 'request' | 'settle',
): Promise<Cancelled | undefined> {
  const id = job.id!;
  const now = new Date();
  const isInvocation = (job.data as InvocationRecord).parent === undefined;
  const token = `cancel:${randomUUID()}`;
  const sets = (['wait', 'prioritized', 'delayed', 'active'] as const).map((set) => keys.set(queue, set));
  const done = await TAKE_TO_CANCEL.run(
    redis,
    [keys.job(queue, id), keys.lock(queue, id), ...sets, keys.cancelRequests, keys.notifications, keys.events(id)],
    [id, now.getTime(), token, LOCK_MS, mode === 'request' ? 1 : 0, isInvocation ? now.toISOString() : ''],
  );
  if (done === 'missing' || done === 'not_requested') return undefined;
  if (done === 'ended') return 'ended';
  if (done === 'running') return 'cancelling';
  await job.moveToFailed(toJobError(cancelledByRequest()), token);
  return 'cancelled';
}

/** Why a job ends that somebody cancelled. */
export function cancelledByRequest(): ToolError {
  return new ToolError('CancelledError', 'The invocation was cancelled');
}

/** A script whose end is wished has this long to be gone; that of a dead runner ends by itself, without a word. */
const END_MS = 15_000;

/** A script that runs for a step of an invocation: the id of its job, and the queue that it is in. */
export interface Child {
  id: string;
  queue: WorkQueue;
}

/**
 * Notes a child with its invocation, before it is there: who cancels or forgets that, finds it. Gives the queue that it was first
 * noted with: asked for again, it is the same job, though its tool may ask for another label by now. One round trip.
 */
export async function recordChild(queues: Queues, invocationId: string, { id, queue }: Child): Promise<WorkQueue> {
  const children = keys.children(invocationId);
  const label = labelOf(queue);
  const multi = queues.redis.multi().hsetnx(children, id, queue).expire(children, queues.retention.ageSeconds);
  if (label !== undefined) multi.sadd(keys.labels, label);
  const replies = (await multi.hget(children, id).exec()) ?? [];
  for (const [error] of replies) if (error) throw error;
  return replies.at(-1)![1] as WorkQueue;
}

/** All that ever ran for an invocation, and is kept. */
export async function childrenOf(queues: Queues, invocationId: string): Promise<Child[]> {
  const noted = await queues.redis.hgetall(keys.children(invocationId));
  return Object.entries(noted).map(([id, queue]) => ({ id, queue: queue as WorkQueue }));
}

/** Wishes the end of every script that runs for an invocation; says of each what became of that. */
export async function cancelChildren(queues: Queues, invocationId: string): Promise<(Child & { done?: Cancelled })[]> {
  const children = await childrenOf(queues, invocationId);
  return Promise.all(
    children.map(async (child) => {
      const done = await cancelChild(queues, child);
      return { ...child, ...(done && { done }) };
    }),
  );
}

/** Undefined where there is no such job. */
export async function cancelChild(queues: Queues, { id, queue }: Child): Promise<Cancelled | undefined> {
  const job = await queues.of(queue).getJob(id);
  return job && cancelJob(queues.redis, queue, job, 'request');
}

/** Ends every script that runs for an invocation, and waits until they are gone. */
export async function endChildren(queues: Queues, notifications: NotificationHub, invocationId: string): Promise<void> {
  const patience = AbortSignal.timeout(END_MS);
  const children = await cancelChildren(queues, invocationId);
  await Promise.all(
    children.map(({ id, queue }) =>
      notifications.until(id, patience, async () => {
        const job = await queues.of(queue).getJob(id);
        return !job || job.finishedOn ? true : undefined;
      }),
    ),
  );
}

/**
 * What has failed for an invocation is no longer known: the next attempt runs it anew. Only for an attempt that has seen it fail.
 */
export async function removeFailedChildren(queues: Queues, invocationId: string): Promise<void> {
  const children = await childrenOf(queues, invocationId);
  await Promise.all(
    children.map(async ({ id, queue }) => {
      const job = await queues.of(queue).getJob(id);
      if (job?.finishedOn && !job.returnvalue) await job.remove();
    }),
  );
}
