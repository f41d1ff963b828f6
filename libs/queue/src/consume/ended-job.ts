import type { ErrorType } from '@errand/contracts';
import { readFailure } from './retry-policy.js';
import type { InvocationRecord } from '../state/record.js';

/** How a job has ended, for metrics. Times in ms. */
export interface EndedJob {
  /** The tool ids of its calls, in order. */
  tools: string[];
  /** The job is the script of a step, not an invocation. */
  isStep: boolean;
  outcome: 'succeeded' | 'failed' | 'cancelled';
  /** The type of its error if it failed. */
  error?: ErrorType;
  /** From acceptance to start. Absent for a job that was started more than once. */
  waitedMs?: number;
  /** From the last start to the end. */
  ranMs?: number;
}

/** An ended job, of BullMQ or of a consumer. Times in ms. */
interface Ended {
  data: InvocationRecord;
  timestamp: number;
  processedOn?: number | undefined;
  finishedOn?: number | undefined;
  failedReason?: string | undefined;
  attemptsStarted: number;
  delay: number;
}

/** Describes a job that has just ended in this process. */
export function endOf(job: Ended): EndedJob {
  const { data, timestamp, processedOn, finishedOn = Date.now(), failedReason, attemptsStarted, delay } = job;
  const { type } = failedReason ? readFailure(failedReason) : {};
  const hasStarted = processedOn !== undefined && processedOn > 0;
  return {
    tools: data.calls.map((call) => call.toolId),
    isStep: data.parent !== undefined,
    outcome: type === undefined ? 'succeeded' : type === 'CancelledError' ? 'cancelled' : 'failed',
    ...(type !== undefined && type !== 'CancelledError' && { error: type }),
    ...(hasStarted && attemptsStarted === 1 && !delay && { waitedMs: Math.max(0, processedOn - timestamp) }),
    ...(hasStarted && { ranMs: Math.max(0, finishedOn - processedOn) }),
  };
}
