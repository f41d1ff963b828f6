import type { JobsOptions } from 'bullmq';
import { NO_BOUND } from '../consume/retry-policy.js';

/** The BullMQ options that all invocations and scripts have, and the only ones of a job that stores none. They set no removal. */
export const PLAIN_OPTIONS = {
  attempts: NO_BOUND,
  backoff: { type: 'errand' },
  stackTraceLimit: 0,
} as const satisfies JobsOptions;
