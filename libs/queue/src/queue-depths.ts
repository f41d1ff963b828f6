import type { Queues } from './connect.js';
import { countConsumers } from './consumer-presence.js';
import { DELIVERIES, keys, QUEUE_NAMES, type WorkQueue } from './names.js';

/** How much of a queue stands where, and how long its next in line has been there. */
export interface QueueDepth {
  queue: WorkQueue | typeof DELIVERIES;
  /** `later`: for a retry, a time, an answer. `owed`: deliveries of what has not ended yet. */
  jobs: { waiting: number; active: number; later: number; owed: number };
  /** Age of the one that is taken next, in ms; 0 where none waits. */
  oldestMs: number;
  /** How many processes take its jobs; of deliveries, the workers do. */
  consumers?: number;
}

/** The present depth of every queue: three round trips, whose cost does not depend on how much is in them. */
export async function readQueueDepths(queues: Queues): Promise<QueueDepth[]> {
  const work = [...QUEUE_NAMES, ...(await queues.labelled())];
  const depths = work.map(async (queue) => {
    const [depth, consumers] = await Promise.all([readDepth(queues, queue), countConsumers(queues.redis, queue)]);
    return { ...depth, consumers };
  });
  return Promise.all([...depths, readDepth(queues, DELIVERIES)]);
}

async function readDepth({ redis }: Queues, queue: QueueDepth['queue']): Promise<QueueDepth> {
  const [wait, prioritized, active, later, owed, [first], [urgent]] = await Promise.all([
    redis.llen(keys.set(queue, 'wait')),
    redis.zcard(keys.set(queue, 'prioritized')),
    redis.llen(keys.set(queue, 'active')),
    redis.zcard(keys.set(queue, 'delayed')),
    redis.zcard(keys.set(queue, 'waiting-children')),
    redis.lrange(keys.set(queue, 'wait'), -1, -1),
    redis.zrange(keys.set(queue, 'prioritized'), '0', '0'),
  ]);
  // Those without a priority go before all that have one.
  const next = first ?? urgent;
  const since = next === undefined ? null : await redis.hget(keys.job(queue, next), 'timestamp');
  return {
    queue,
    jobs: { waiting: wait + prioritized, active, later, owed },
    oldestMs: since === null ? 0 : Math.max(0, Date.now() - Number(since)),
  };
}
