import type { QueuePause } from '@errand/contracts';
import { pauseQueue as pause, readPause, resumeQueue as resume } from '../pause/pause-queue.js';
import { queueNames } from '../fair/read-queues.js';
import type { Queues } from '../redis/connect.js';

type QueueOfWork = Parameters<typeof pause>[1];

/**
 * Pauses a queue in every shard.
 * @throws the error of a shard that does not answer. The others are paused; the caller repeats it
 */
export function pauseQueue(queues: Queues, queue: QueueOfWork, given: QueuePause): Promise<void> {
  return inAll(queues, (shard) => pause(shard, queue, given));
}

/** Ends the pause in every shard. @throws the error of a shard that does not answer; the caller repeats it */
export function resumeQueue(queues: Queues, queue: QueueOfWork): Promise<void> {
  return inAll(queues, (shard) => resume(shard, queue));
}

/** Pauses in new shards what is paused in the keyspace `{errand}`. Every process that opens them does it before they get work. */
export async function copyPauses(queues: Queues, fresh: readonly Queues[]): Promise<void> {
  for (const name of await queueNames(queues)) {
    const known = await readPause(queues, name);
    if (known) await Promise.all(fresh.map((shard) => pause(shard, name, known)));
  }
}

async function inAll(queues: Queues, change: (shard: Queues) => Promise<void>): Promise<void> {
  const settled = await Promise.allSettled((queues.shards?.all ?? [queues]).map(change));
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
}
