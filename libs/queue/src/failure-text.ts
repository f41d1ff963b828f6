import { ERROR_TYPES, isObject, type ToolError, type ErrorType, type Failure } from '@errand/contracts';
import { UnrecoverableError } from 'bullmq';

/** Tells BullMQ that a failed job is to be tried again, and after how many ms. */
class RetryError extends Error {
  constructor(
    text: string,
    readonly pauseMs: number,
  ) {
    super(text);
  }
}

/** BullMQ's question when to try again; -1: not at all. */
export function pauseOf(error: Error | undefined): number {
  return error instanceof RetryError ? error.pauseMs : -1;
}

/**
 * BullMQ keeps one text for a failed job, `failedReason`. Ours is the Failure as JSON, so that the job alone says all;
 * dashboards show it as it is.
 * @param pauseMs when it is to be tried again; undefined: never
 */
export function toJobError(error: ToolError, pauseMs?: number): Error {
  const text = JSON.stringify(error.toFailure());
  const jobError = pauseMs === undefined ? new UnrecoverableError(text) : new RetryError(text, pauseMs);
  jobError.stack = '';
  return jobError;
}

/** The Failure of a failed job. A text that is not ours is BullMQ's own: the job's process died too often. */
export function readFailure(failedReason: string): Failure {
  try {
    const failure: unknown = JSON.parse(failedReason);
    if (isObject(failure) && Object.hasOwn(ERROR_TYPES, String(failure['type']))) {
      return {
        type: failure['type'] as ErrorType,
        message: String(failure['message']),
        ...(isObject(failure['details']) && { details: failure['details'] }),
      };
    }
  } catch {
    // Not JSON: a message of BullMQ's.
  }
  return {
    type: 'LostError',
    message: `The process that ran this died, more than once: it is not tried again (${failedReason})`,
  };
}
