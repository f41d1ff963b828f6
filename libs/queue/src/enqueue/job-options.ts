import type { Backoff } from '@errand/contracts';
import type { JobsOptions } from 'bullmq';
import { NO_BOUND } from '../consume/retry-policy.js';
import type { Queues } from '../redis/connect.js';

/** How BullMQ is to treat the job; all optional. `priority` 1 is the most urgent. */
export interface SubmitOptions {
  priority?: number;
  delayMs?: number;
  /** How failures are to be tried again; it goes before what the tools say. */
  attempts?: number;
  backoff?: Backoff;
}

/** What every job of ours has in common. How long it is kept, the RetentionCleaner knows. */
export function jobOptions(options: SubmitOptions): JobsOptions {
  return {
    attempts: NO_BOUND,
    backoff: { type: 'errand' },
    ...(options.priority && { priority: options.priority }),
    ...(options.delayMs && { delay: options.delayMs }),
    stackTraceLimit: 0,
  };
}

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
