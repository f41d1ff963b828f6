import type { Queues } from './connect.js';
import { DELIVERIES, keys, QUEUE_NAMES, type QueueName } from './names.js';

/** How much of a queue stands where, and how long its next in line has been there. */
export interface QueueDepth {
  queue: QueueName | typeof DELIVERIES;
  /** `later`: for a retry, a time, an answer. `owed`: deliveries of what has not ended yet. */
  jobs: { waiting: number; active: number; later: number; owed: number };
  /** Age of the one that is taken next, in ms; 0 where none waits. */
  oldestMs: number;
}

/** The present depth of every queue: two round trips, whose cost does not depend on how much is in them. */
export async function readQueueDepths({ redis }: Queues): Promise<QueueDepth[]> {
  return Promise.all(
    ([...QUEUE_NAMES, DELIVERIES] as const).map(async (queue) => {
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
    }),
  );
}
