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

/** Runs that fail for a reason that another one may mend are tried this often, unless the caller or the tool says otherwise. */
const DEFAULT_ATTEMPTS = 3;
const DEFAULT_BACKOFF: Backoff = { type: 'exponential', delayMs: 1_000 };
const DEFAULT_MAX_DELAY_MS = 600_000;
/** More than any policy allows: how often a job is tried is decided here, not by BullMQ. */
export const NO_BOUND = 1_000_000;

/** Thrown by a handler: a try has failed. It is tried again after `pauseMs`; undefined: that is how it ends. */
export class AttemptFailed extends Error {
  constructor(
    readonly failure: ToolError,
    readonly pauseMs: number | undefined,
  ) {
    super(failure.message);
    this.name = 'AttemptFailed';
  }
}

/** What is known of a try that has failed. */
export interface AttemptInfo {
  /** How many tries there were, this one among them. */
  attempts: number;
  /** What the caller asked for; it goes before what the tool says. */
  asked?: RetryPolicy | undefined;
  /** What the tool says of itself. */
  own?: RetryPolicy | undefined;
}

/** Whether a failure is to be tried again, and when. */
export function decideRetry(failure: ToolError, { attempts, asked, own }: AttemptInfo): AttemptFailed {
  const isOfTheKind = ERROR_TYPES[failure.type].retryable || own?.on?.includes(failure.type) === true;
  const mendable = isOfTheKind && !isTriedOut(failure);
  const allowed = asked?.attempts ?? own?.attempts ?? DEFAULT_ATTEMPTS;
  const backoff = asked?.backoff ?? own?.backoff ?? DEFAULT_BACKOFF;
  return new AttemptFailed(
    failure,
    mendable && attempts < allowed ? pauseAfter(attempts, backoff, Math.random()) : undefined,
  );
}

/**
 * How long to wait after so many tries, in ms: always the same, or twice as long each time up to a bound. Of an exponential pause
 * half is by chance, so that what failed together does not come back together ("equal jitter", Brooker, AWS Architecture Blog, 2015).
 * @param chance from 0 to 1
 */
export function pauseAfter(
  attempts: number,
  { type, delayMs, maxDelayMs = DEFAULT_MAX_DELAY_MS }: Backoff,
  chance: number,
): number {
  if (type === 'fixed') return delayMs;
  // The first pause is what was asked for, even where that is longer than the bound.
  const whole = Math.min(delayMs * 2 ** (attempts - 1), Math.max(maxDelayMs, delayMs));
  return Math.round(whole / 2 + (whole / 2) * chance);
}

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
