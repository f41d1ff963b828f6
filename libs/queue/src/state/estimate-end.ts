import { countConsumers } from '../consume/heartbeats.js';
import { countInLanes } from '../fair/show-ring.js';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import type { QueueName } from '../redis/queue-names.js';
import { turnMs } from './queue-status.js';
import { medianMs, throughputOf } from './throughput.js';

/**
 * Estimates when an invocation would end if it came to the queue now, in ms; null if that is not known. Nothing is written.
 * @param name the name of its job; `delayMs` its delay
 */
export async function estimateEnd(
  queues: Queues,
  queue: QueueName,
  name: string,
  delayMs: number,
): Promise<number | null> {
  const { redis } = queues.shards?.current[0] ?? queues;
  const keys = keysOf(redis);
  const [consumers, waits, urgent, inLanes, active, perSecond, runMs = 0] = await Promise.all([
    countConsumers(redis, queue),
    redis.llen(keys.set(queue, 'wait')),
    redis.zcard(keys.set(queue, 'prioritized')),
    countInLanes(redis, keys.job(queue, '')),
    redis.llen(keys.set(queue, 'active')),
    throughputOf(redis, queue),
    medianMs(redis, name.slice(0, 200)),
  ]);
  const ahead = waits + urgent + inLanes;
  const untilTurn = delayMs > 0 ? delayMs : turnMs(ahead > 0 && active > 0 ? ahead + 1 : ahead, perSecond);
  return consumers === 0 || untilTurn === undefined ? null : Math.max(1, Math.round(untilTurn + runMs));
}
