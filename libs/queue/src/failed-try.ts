import { ERROR_TYPES, isTriedOut, type Backoff, type RetryPolicy, type ToolError } from '@errand/contracts';

/** Runs that fail for a reason that another one may mend are tried this often, unless the caller or the tool says otherwise. */
const DEFAULT_ATTEMPTS = 3;
const DEFAULT_BACKOFF: Backoff = { type: 'exponential', delayMs: 1_000 };
const DEFAULT_MAX_DELAY_MS = 600_000;
/** More than any policy allows: how often a job is tried is decided here, not by BullMQ. */
export const NO_BOUND = 1_000_000;

/** Thrown by a handler: a try has failed. It is tried again after `pauseMs`; undefined: that is how it ends. */
export class FailedTry extends Error {
  constructor(
    readonly failure: ToolError,
    readonly pauseMs: number | undefined,
  ) {
    super(failure.message);
    this.name = 'FailedTry';
  }
}

/** What is known of a try that has failed. */
export interface Tried {
  /** How many tries there were, this one among them. */
  attempts: number;
  /** What the caller asked for; it goes before what the tool says. */
  asked?: RetryPolicy | undefined;
  /** What the tool says of itself. */
  own?: RetryPolicy | undefined;
}

/** Whether a failure is to be tried again, and when. */
export function failedTry(failure: ToolError, { attempts, asked, own }: Tried): FailedTry {
  const isOfTheKind = ERROR_TYPES[failure.type].retryable || own?.on?.includes(failure.type) === true;
  const mendable = isOfTheKind && !isTriedOut(failure);
  const allowed = asked?.attempts ?? own?.attempts ?? DEFAULT_ATTEMPTS;
  const backoff = asked?.backoff ?? own?.backoff ?? DEFAULT_BACKOFF;
  return new FailedTry(
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
