import type { Callback } from '@errand/contracts';
import { Job, type JobsOptions } from 'bullmq';
import type { Queues } from './connect.js';
import { DELIVERIES, deliveryId, keys, PREFIX, type QueueName } from './names.js';
import type { DeliveryRecord, InvocationRecord } from './record.js';

/** The consumer ends a delivery when its schedule does: this many attempts it never takes. */
const NEVER_SO_MANY = 1_000;
/** All have the same, so that the oldest goes first: without one, BullMQ takes the parent that was released last. */
const PRIORITY = 1;

/** A job of an invocation, not yet in its queue. */
export interface InvocationJob {
  name: string;
  data: InvocationRecord;
  opts: JobsOptions & { jobId: string };
}

/**
 * Enqueues an invocation as the child of the delivery that tells of its end: whatever ends it, BullMQ's own script makes the
 * delivery runnable in the same step. One transaction, one round trip; jobs that are there already stay as they are.
 * @throws what Redis says of any of the two: then neither is there
 */
export async function submitWithDelivery(
  queues: Queues,
  queue: QueueName,
  { name, data, opts }: InvocationJob,
  callback: Callback,
): Promise<void> {
  const id = deliveryId(opts.jobId, 0);
  const record: DeliveryRecord = { tenant: data.tenant, invocationId: opts.jobId, callback };
  const parentKey = keys.job(DELIVERIES, id);
  const delivery = new Job(queues.deliveries, DELIVERIES, record, deliveryOptions(queues), id);
  const owing = { parent: { id, queue: `${PREFIX}:${DELIVERIES}` }, removeDependencyOnFailure: true };
  const work = new Job(queues.byName[queue], name, data, { ...opts, ...owing }, opts.jobId);
  const added = await queues.deliveries
    .getBackend()
    .addFlow([
      delivery.toFlowEntry({ addToWaitingChildren: true }),
      work.toFlowEntry({ parentKey, parentDependenciesKey: `${parentKey}:dependencies` }),
    ]);
  for (const [error] of added ?? []) if (error) throw error;
}

export function deliveryOptions({ retention }: Queues): JobsOptions {
  const keep = { age: retention.ageSeconds, count: retention.count };
  return {
    attempts: NEVER_SO_MANY,
    backoff: { type: 'schedule' },
    priority: PRIORITY,
    removeOnComplete: keep,
    removeOnFail: keep,
    stackTraceLimit: 0,
  };
}
