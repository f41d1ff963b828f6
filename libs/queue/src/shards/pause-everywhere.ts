import type { QueuePause } from '@errand/contracts';
import { pauseQueue as pause, resumeQueue as resume } from '../pause/pause-queue.js';
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

/** Changes the keyspace `{errand}` first: `copy-settings.ts` needs this order. Shards that open meanwhile count, too. */
async function inAll(queues: Queues, change: (shard: Queues) => Promise<void>): Promise<void> {
  const [first] = await Promise.allSettled([change(queues)]);
  const shards = (queues.shards?.all ?? []).filter((shard) => shard !== queues);
  const settled = await Promise.allSettled(shards.map(change));
  for (const one of [first, ...settled]) if (one.status === 'rejected') throw one.reason;
}
