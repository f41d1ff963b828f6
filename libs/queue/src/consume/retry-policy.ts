import {
  ERROR_TYPES,
  isTriedOut,
  type Backoff,
  type RetryPolicy,
  type ToolError,
  isObject,
  type ErrorType,
  type Failure,
} from '@errand/contracts';
import { UnrecoverableError } from 'bullmq';

/** The number of attempts for temporary errors, unless the caller or the tool sets another. */
const DEFAULT_ATTEMPTS = 3;
const DEFAULT_BACKOFF: Backoff = { type: 'exponential', delayMs: 1_000 };
const DEFAULT_MAX_DELAY_MS = 600_000;
/** More attempts than any policy allows: Errand decides on retries, not BullMQ. */
export const NO_BOUND = 1_000_000;

/** Thrown by a handler whose attempt has failed. Another attempt follows after `pauseMs`; undefined ends the job. */
export class AttemptFailed extends Error {
  constructor(
    readonly failure: ToolError,
    readonly pauseMs: number | undefined,
  ) {
    super(failure.message);
    this.name = 'AttemptFailed';
  }
}

/** The attempts and retry policies that decide on a retry. */
export interface AttemptInfo {
  /** The number of attempts, including the failed one. */
  attempts: number;
  /** The policy of the caller. It overrides that of the tool. */
  asked?: RetryPolicy | undefined;
  /** The policy of the tool. */
  own?: RetryPolicy | undefined;
}

/** Decides whether another attempt follows a failure, and after which pause. */
export function decideRetry(failure: ToolError, { attempts, asked, own }: AttemptInfo): AttemptFailed {
  const isRetryableType = ERROR_TYPES[failure.type].retryable || own?.on?.includes(failure.type) === true;
  const isRetryable = isRetryableType && !isTriedOut(failure);
  const allowed = asked?.attempts ?? own?.attempts ?? DEFAULT_ATTEMPTS;
  const backoff = asked?.backoff ?? own?.backoff ?? DEFAULT_BACKOFF;
  return new AttemptFailed(
    failure,
    isRetryable && attempts < allowed ? pauseAfter(attempts, backoff, Math.random()) : undefined,
  );
}

/**
 * The pause in ms after this number of attempts: fixed, or doubled each time up to a bound. Half of an exponential pause is random, so that
 * jobs that failed together do not return together ("equal jitter", Brooker, AWS Architecture Blog, 2015).
 * @param chance a random number from 0 to 1
 */
export function pauseAfter(
  attempts: number,
  { type, delayMs, maxDelayMs = DEFAULT_MAX_DELAY_MS }: Backoff,
  chance: number,
): number {
  if (type === 'fixed') return delayMs;
  // The first pause is the requested one, even if it is longer than the bound.
  const whole = Math.min(delayMs * 2 ** (attempts - 1), Math.max(maxDelayMs, delayMs));
  return Math.round(whole / 2 + (whole / 2) * chance);
}

/** Makes BullMQ retry a failed job after `pauseMs`. */
class RetryError extends Error {
  constructor(
    text: string,
    readonly pauseMs: number,
  ) {
    super(text);
  }
}

/** BullMQ's backoff strategy: the pause before the next attempt, or -1 for none. */
export function pauseOf(error: Error | undefined): number {
  return error instanceof RetryError ? error.pauseMs : -1;
}

/**
 * The error that ends or retries a BullMQ job. BullMQ stores only its message, as `failedReason`. The message is the Failure as JSON, so that
 * the job alone has all data. Dashboards show this JSON.
 * @param pauseMs the pause before the next attempt; undefined ends the job
 */
export function toJobError(error: ToolError, pauseMs?: number): Error {
  const text = JSON.stringify(error.toFailure());
  const jobError = pauseMs === undefined ? new UnrecoverableError(text) : new RetryError(text, pauseMs);
  jobError.stack = '';
  return jobError;
}

/** The Failure of a failed job. Any text that is not Errand's JSON is from BullMQ: processes died with the job too often. */
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
    // The text is not JSON, so it is from BullMQ.
  }
  return {
    type: 'LostError',
    message: `More than one process died while it ran this, so it is not retried (${failedReason})`,
  };
}
