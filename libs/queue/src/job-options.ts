import type { Backoff } from '@errand/contracts';
import type { JobsOptions } from 'bullmq';
import { NO_BOUND } from './failed-try.js';

/** How BullMQ is to treat the job; all optional. `priority` 1 is the most urgent. */
export interface SubmitOptions {
  priority?: number;
  delayMs?: number;
  /** How failures are to be tried again; it goes before what the tools say. */
  attempts?: number;
  backoff?: Backoff;
}

/** What every job of ours has in common. How long it is kept, the Forgetter knows. */
export function jobOptions(options: SubmitOptions): JobsOptions {
  return {
    attempts: NO_BOUND,
    backoff: { type: 'errand' },
    ...(options.priority && { priority: options.priority }),
    ...(options.delayMs && { delay: options.delayMs }),
    stackTraceLimit: 0,
  };
}
