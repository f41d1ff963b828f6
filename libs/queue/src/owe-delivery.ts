import type { Callback } from '@errand/contracts';
import { Job, type JobsOptions } from 'bullmq';
import type { Queues } from './connect.js';
import { DELIVERIES, deliveryId, keys, PREFIX } from './names.js';
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
 * The delivery that tells of the end of an invocation, as the parent of its job: whatever ends that, BullMQ's own script makes the
 * delivery runnable in the same step. `owing` is what the job of the invocation needs to have; `place` and `placeOfWork` say to
 * BullMQ where the two stand to each other. Both have to be added in one transaction, the delivery first.
 */
export function deliveryOf(queues: Queues, { tenant }: InvocationRecord, invocationId: string, callback: Callback) {
  const id = deliveryId(invocationId, 0);
  const record: DeliveryRecord = { tenant, invocationId, callback };
  const parentKey = keys.job(DELIVERIES, id);
  return {
    job: new Job(queues.deliveries, DELIVERIES, record, deliveryOptions(queues), id),
    place: { addToWaitingChildren: true },
    owing: { parent: { id, queue: `${PREFIX}:${DELIVERIES}` }, removeDependencyOnFailure: true },
    placeOfWork: { parentKey, parentDependenciesKey: `${parentKey}:dependencies` },
  };
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
