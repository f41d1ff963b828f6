import { cancelJob, type Cancelled } from './cancel-job.js';
import type { Queues } from './connect.js';
import { keys, labelOf, type WorkQueue } from './names.js';
import type { Wakeups } from './wakeups.js';

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
export async function noteChild(queues: Queues, invocationId: string, { id, queue }: Child): Promise<WorkQueue> {
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
  return job && cancelJob(queues.redis, queue, job, 'wish');
}

/** Ends every script that runs for an invocation, and waits until they are gone. */
export async function endChildren(queues: Queues, wakeups: Wakeups, invocationId: string): Promise<void> {
  const patience = AbortSignal.timeout(END_MS);
  const children = await cancelChildren(queues, invocationId);
  await Promise.all(
    children.map(({ id, queue }) =>
      wakeups.until(id, patience, async () => {
        const job = await queues.of(queue).getJob(id);
        return !job || job.finishedOn ? true : undefined;
      }),
    ),
  );
}

/**
 * What has failed for an invocation is no longer known: the next attempt runs it anew. Only for an attempt that has seen it fail.
 */
export async function forgetFailedChildren(queues: Queues, invocationId: string): Promise<void> {
  const children = await childrenOf(queues, invocationId);
  await Promise.all(
    children.map(async ({ id, queue }) => {
      const job = await queues.of(queue).getJob(id);
      if (job?.finishedOn && !job.returnvalue) await job.remove();
    }),
  );
}
