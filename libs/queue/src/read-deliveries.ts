import type { Delivery, DeliveryAttempt, DeliveryStatus } from '@errand/contracts';
import type { Job } from 'bullmq';
import type { Queues } from './connect.js';
import { DELIVERIES, deliveryId, keys, webhookIdOf } from './names.js';
import type { Delivered, DeliveryRecord } from './record.js';

export type DeliveryJob = Job<DeliveryRecord, Delivered>;

/** Every delivery of an invocation that is still kept, with all its attempts, oldest first; empty where it has no callback. */
export async function readDeliveries(queues: Queues, invocationId: string): Promise<Delivery[]> {
  const again = Number((await queues.redis.get(keys.redeliveries(invocationId))) ?? 0);
  const indexes = [...Array(again + 1).keys()];
  const found = await Promise.all(indexes.map((index) => readDelivery(queues, invocationId, index)));
  return found.filter((delivery) => delivery !== undefined);
}

/** One delivery by its number, or undefined where there is none. */
export async function readDelivery(queues: Queues, invocationId: string, index: number): Promise<Delivery | undefined> {
  const id = deliveryId(invocationId, index);
  const { deliveries, redis } = queues;
  const [job, { logs }, waits, due] = await Promise.all([
    deliveries.getJob(id),
    deliveries.getJobLogs(id),
    redis.zscore(keys.set(DELIVERIES, 'waiting-children'), id),
    redis.zscore(keys.set(DELIVERIES, 'delayed'), id),
  ]);
  if (!job) return undefined;
  return {
    id,
    index,
    webhookId: webhookIdOf(invocationId),
    status: statusOf(job, waits !== null),
    url: job.data.callback.url,
    nextAttemptAt: due === null ? null : new Date(Number(due) / SCORE_OF_A_MS).toISOString(),
    attempts: logs.map((line) => JSON.parse(line) as DeliveryAttempt),
  };
}

/** How BullMQ writes the time of a delayed job. */
const SCORE_OF_A_MS = 0x1000;

function statusOf({ finishedOn, returnvalue }: DeliveryJob, waits: boolean): DeliveryStatus {
  if (finishedOn) return returnvalue ? returnvalue.status : 'failed';
  return waits ? 'waiting' : 'pending';
}
