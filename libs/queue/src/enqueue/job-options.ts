import type { Backoff } from '@errand/contracts';
import type { JobsOptions } from 'bullmq';
import { PLAIN_OPTIONS } from '../bullmq/plain-options.js';
import { DELIVERY_PRIORITY } from '../redis/queue-names.js';

/** Options of a submission. `priority` 1 is the most urgent. */
export interface SubmitOptions {
  priority?: number;
  delayMs?: number;
  /** The retry policy of the caller. It overrides the policies of the tools. */
  attempts?: number;
  backoff?: Backoff;
}

/** The BullMQ options of an invocation or script. They set no removal: `RetentionCleaner` removes jobs. */
export function jobOptions(options: SubmitOptions): JobsOptions {
  return {
    ...PLAIN_OPTIONS,
    ...(options.priority && { priority: options.priority }),
    ...(options.delayMs && { delay: options.delayMs }),
  };
}

/**
 * The BullMQ options of the delivery of an invocation. The delivery is the parent of the invocation's job: the script that ends the job also
 * makes the delivery runnable. They set no removal: `RetentionCleaner` removes deliveries.
 */
export const DELIVERY_OPTIONS: JobsOptions = { ...PLAIN_OPTIONS, priority: DELIVERY_PRIORITY };
