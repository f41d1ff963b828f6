import type { ErrorType } from '@errand/contracts';
import type { Job } from 'bullmq';
import { readFailure } from './retry-policy.js';
import type { InvocationRecord, Outcome } from '../state/record.js';

/** How a job has ended, for those who count. Times in ms. */
export interface EndedJob {
  /** What it called, in order. */
  tools: string[];
  /** It ran for a step of another job, and is no invocation of its own. */
  isStep: boolean;
  outcome: 'succeeded' | 'failed' | 'cancelled';
  /** The type of its error, where it failed. */
  error?: ErrorType;
  /** From its acceptance to its start; of one that was started more than once, not known. */
  waitedMs?: number;
  /** From its last start to its end. */
  ranMs?: number;
}

/** Of a job that has just ended in this process. */
export function endOf(job: Job<InvocationRecord, Outcome>): EndedJob {
  const { data, timestamp, processedOn, finishedOn = Date.now(), failedReason, attemptsStarted, delay } = job;
  const { type } = failedReason ? readFailure(failedReason) : {};
  const began = processedOn !== undefined && processedOn > 0;
  return {
    tools: data.calls.map((call) => call.toolId),
    isStep: data.parent !== undefined,
    outcome: type === undefined ? 'succeeded' : type === 'CancelledError' ? 'cancelled' : 'failed',
    ...(type !== undefined && type !== 'CancelledError' && { error: type }),
    ...(began && attemptsStarted === 1 && !delay && { waitedMs: Math.max(0, processedOn - timestamp) }),
    ...(began && { ranMs: Math.max(0, finishedOn - processedOn) }),
  };
}
