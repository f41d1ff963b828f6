import { ERROR_TYPES, isObject, ToolError, type ErrorType, type Failure } from '@errand/contracts';
import { UnrecoverableError } from 'bullmq';

/**
 * BullMQ keeps one text for a failed job, `failedReason`. Ours is the Failure as JSON, so that the job alone says all;
 * dashboards show it as it is.
 */
export function toJobError(error: ToolError): Error {
  const text = JSON.stringify(error.toFailure());
  const jobError = ERROR_TYPES[error.type].retryable ? new Error(text) : new UnrecoverableError(text);
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
