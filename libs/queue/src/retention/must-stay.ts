import { FIELD } from '../redis/job-fields.js';
import { deliveryId } from '../redis/job-ids.js';
import { keysOf } from '../redis/names.js';
import { DELIVERIES, QUEUE_NAMES, type WorkQueue } from '../redis/queue-names.js';
import type { Queues } from '../redis/connect.js';

/** The deliveries of an invocation, by their job ids: those of its callback, and those to push configurations. */
export interface DeliveriesOf {
  callback: string[];
  pushed: string[];
}

/** Two commands. The data of the job, which can be large, is not read. */
export async function deliveriesOf({ redis }: Queues, queue: WorkQueue, id: string): Promise<DeliveriesOf> {
  const keys = keysOf(redis);
  const [pushes, redeliveries] = await Promise.all([
    redis.hget(keys.job(queue, id), FIELD.pushes),
    redis.get(keys.redeliveries(id)),
  ]);
  return {
    callback: Array.from({ length: Number(redeliveries ?? 0) + 1 }, (_, n) => deliveryId(id, n)),
    pushed: Object.values(JSON.parse(pushes ?? '{}') as Record<string, string>),
  };
}

/**
 * Whether one of these deliveries is open and has had no attempt of its present message: only from the first failed attempt on, a delivery
 * has its message.
 */
export async function hasUnsent({ redis }: Queues, deliveries: readonly string[]): Promise<boolean> {
  const keys = keysOf(redis);
  const fields = ['timestamp', 'finishedOn', 'atm'];
  const found = await Promise.all(deliveries.map((id) => redis.hmget(keys.job(DELIVERIES, id), ...fields)));
  return found.some(
    ([timestamp, finishedOn, failures]) => timestamp !== null && finishedOn === null && Number(failures ?? 0) === 0,
  );
}

/**
 * Whether a job is a script of an invocation that has not ended. Without its script, that invocation would run it again. Both are in the same
 * shard, and the id of a script begins with that of its invocation (`childId`).
 */
export async function isScriptOfOpen({ redis }: Queues, id: string): Promise<boolean> {
  const [parent = '', step] = id.split('.');
  if (step === undefined) return false;
  const keys = keysOf(redis);
  const found = await Promise.all(
    QUEUE_NAMES.map((queue) => redis.hmget(keys.job(queue, parent), 'timestamp', 'finishedOn')),
  );
  return found.some(([timestamp, finishedOn]) => timestamp !== null && finishedOn === null);
}

/** Whether an invocation is stored. */
export async function isStored(queues: Queues, id: string): Promise<boolean> {
  const { redis } = queues.shardOf(id);
  const keys = keysOf(redis);
  return (await redis.exists(...QUEUE_NAMES.map((queue) => keys.job(queue, id)))) > 0;
}
