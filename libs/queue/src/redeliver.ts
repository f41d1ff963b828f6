import type { Callback, Delivery } from '@errand/contracts';
import type { Queues } from './connect.js';
import { DELIVERIES, deliveryId, keys } from './names.js';
import { deliveryOptions } from './owe-delivery.js';
import { readDelivery } from './read-deliveries.js';

/** So often an invocation's end is told anew by request; each is kept, and may be tried ten times. */
const MAX_REDELIVERIES = 100;

/**
 * Sends the message of an earlier delivery anew, with the same `webhook-id`, as a delivery of its own. Undefined where there is no
 * such delivery; `waiting` where the invocation has not ended; `exhausted` after a hundred of them.
 */
export async function redeliver(
  queues: Queues,
  invocationId: string,
  index: number,
): Promise<Delivery | 'waiting' | 'exhausted' | undefined> {
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
  await queues.deliveries.add(DELIVERIES, job.data, { jobId, ...deliveryOptions(queues) });
  return readDelivery(queues, invocationId, number);
}

/** The callback of an invocation, for one that goes on from it; undefined where it has none, or it is no longer kept. */
export async function readCallback(queues: Queues, invocationId: string): Promise<Callback | undefined> {
  const job = await queues.deliveries.getJob(deliveryId(invocationId, 0));
  return job?.data.callback;
}
