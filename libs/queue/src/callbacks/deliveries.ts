import { timeOfScore } from '../bullmq/layout.js';
import type { Delivery, DeliveryAttempt, DeliveryStatus, Callback } from '@errand/contracts';
import type { Job } from 'bullmq';
import type { Queues } from '../redis/connect.js';
import { deliveryId, deliveryMember, deliveryOfMember, webhookIdOf } from '../redis/job-ids.js';
import { keysOf } from '../redis/names.js';
import { DELIVERIES } from '../redis/queue-names.js';
import type { Delivered, DeliveryRecord } from '../state/record.js';
import { DELIVERY_OPTIONS } from '../enqueue/job-options.js';

export type DeliveryJob = Job<DeliveryRecord, Delivered>;

/** The stored deliveries of an invocation with all their attempts, oldest first. Empty for an invocation without a callback. */
export async function readDeliveries(queues: Queues, invocationId: string): Promise<Delivery[]> {
  const keys = keysOf(queues.redis);
  const again = Number((await queues.redis.get(keys.redeliveries(invocationId))) ?? 0);
  const indexes = [...Array(again + 1).keys()];
  const found = await Promise.all(indexes.map((index) => readDelivery(queues, invocationId, index)));
  return found.filter((delivery) => delivery !== undefined);
}

/** One delivery by its number, or undefined. */
export async function readDelivery(queues: Queues, invocationId: string, index: number): Promise<Delivery | undefined> {
  const keys = keysOf(queues.redis);
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
    nextAttemptAt: due === null ? null : new Date(timeOfScore(due)).toISOString(),
    attempts: logs.map((line) => JSON.parse(line) as DeliveryAttempt),
  };
}

function statusOf({ finishedOn, returnvalue }: DeliveryJob, waits: boolean): DeliveryStatus {
  if (finishedOn) return returnvalue ? returnvalue.status : 'failed';
  return waits ? 'waiting' : 'pending';
}

/** The highest number of redeliveries of one invocation. Each is stored, with up to ten attempts. */
const MAX_REDELIVERIES = 100;

/**
 * Sends the message of an earlier delivery again, with the same `webhook-id`, as a new delivery. Returns undefined if no such delivery
 * exists, `waiting` if the invocation has not ended, and `exhausted` after a hundred redeliveries.
 */
export async function redeliver(
  queues: Queues,
  invocationId: string,
  index: number,
): Promise<Delivery | 'waiting' | 'exhausted' | undefined> {
  const keys = keysOf(queues.redis);
  const [job, before] = await Promise.all([
    queues.deliveries.getJob(deliveryId(invocationId, index)),
    readDelivery(queues, invocationId, index),
  ]);
  if (!job || !before) return undefined;
  if (before.status === 'waiting') return 'waiting';
  const counter = keys.redeliveries(invocationId);
  const number = await queues.redis.incr(counter);
  await queues.redis.expire(counter, queues.retention.ageSeconds);
  if (number > MAX_REDELIVERIES) {
    await queues.redis.set(counter, MAX_REDELIVERIES, 'KEEPTTL');
    return 'exhausted';
  }
  const jobId = deliveryId(invocationId, number);
  const { tenant } = job.data;
  await queues.redis.zadd(keys.deliveryIndex(tenant, 'deliveries'), 0, deliveryMember(jobId));
  await queues.deliveries.add(DELIVERIES, job.data, { jobId, ...DELIVERY_OPTIONS });
  await leaveFailed(queues, tenant, jobId);
  return readDelivery(queues, invocationId, number);
}

/**
 * Removes the earlier deliveries from the failed ones, because a redelivery is stored now. If that came first, a kill between the two steps would
 * hide that the callback has failed.
 */
async function leaveFailed({ redis }: Queues, tenant: string, id: string): Promise<void> {
  const { invocationId, index } = deliveryOfMember(deliveryMember(id));
  const before = Array.from({ length: index }, (_, n) => deliveryMember(deliveryId(invocationId, n)));
  await redis.zrem(keysOf(redis).deliveryIndex(tenant, 'deliveries-failed'), ...before);
}

/** The callback of an invocation, for a repair of it. Undefined if it has none, or if its delivery is not stored any more. */
export async function readCallback(queues: Queues, invocationId: string): Promise<Callback | undefined> {
  const job = await queues.deliveries.getJob(deliveryId(invocationId, 0));
  return job?.data.callback;
}
