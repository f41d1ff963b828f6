import type { JobsOptions } from 'bullmq';
import type { Queues } from './connect.js';

/** The consumer ends a delivery when its schedule does: this many attempts it never takes. */
const NEVER_SO_MANY = 1_000;
/** All have the same, so that the oldest goes first: without one, BullMQ takes the parent that was released last. */
const PRIORITY = 1;

/**
 * Of the delivery that tells of the end of an invocation. It is the parent of that job: whatever ends the job, BullMQ's own script
 * makes the delivery runnable in the same step.
 */
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
