import { ToolError } from '@errand/contracts';
import { Suspended } from '@errand/engine';
import { AttemptFailed, SuspendJob, type StepOutcome, type EventWriter } from '@errand/queue';

/**
 * Decides how an invocation continues when each of its steps has ended or is suspended. A failure with a retry is thrown first, and the
 * one with the longest pause among several. Otherwise a step that waits suspends the invocation, even if another step has failed.
 * Otherwise the first failure is thrown.
 * @param deadline the time limit of the invocation, in ms since 1970
 * @throws the failure, or SuspendJob
 */
export function combineSteps(
  settled: readonly PromiseSettledResult<StepOutcome>[],
  deadline: number | undefined,
): StepOutcome[] {
  const reasons = settled.flatMap((step) => (step.status === 'rejected' ? [step.reason as unknown] : []));
  const suspensions = reasons.filter((reason) => reason instanceof Suspended);
  const failures = reasons.filter((reason) => !(reason instanceof Suspended));
  const retries = failures.flatMap((reason) => {
    const pauseMs = pauseOf(reason);
    return pauseMs === undefined ? [] : [{ reason, pauseMs }];
  });
  if (retries.length > 0) throw retries.reduce((one, other) => (other.pauseMs > one.pauseMs ? other : one)).reason;
  if (suspensions.length > 0) throw suspendUntil(suspensions, deadline);
  if (failures.length > 0) throw failures[0];
  const outcomes = settled.flatMap((step) => (step.status === 'fulfilled' ? [step.value] : []));
  requireSuccess(outcomes);
  return outcomes;
}

/** A failed step with `onError: continue` fails the invocation only if no step succeeded. */
function requireSuccess(outcomes: readonly StepOutcome[]): void {
  const first = outcomes.findIndex(({ error }) => error !== undefined);
  const error = outcomes[first]?.error;
  if (!error || outcomes.some(({ status }) => status === 'succeeded')) return;
  const { type, message, details } = error;
  throw new AttemptFailed(new ToolError(type, message, { ...details, step: first }), undefined);
}

/** The pause before the retry; undefined without a retry. An internal error has no pause of its own. */
function pauseOf(reason: unknown): number | undefined {
  return reason instanceof AttemptFailed ? reason.pauseMs : 0;
}

function suspendUntil(suspensions: readonly Suspended[], deadline = Infinity): SuspendJob {
  const until = Math.min(deadline, ...suspensions.map((suspension) => suspension.until ?? Infinity));
  const waitsFor = suspensions.some(({ forAnswer }) => forAnswer) ? 'answer' : 'time';
  return new SuspendJob(until === Infinity ? undefined : until, waitsFor);
}

/** Progress is rounded to 1/10,000. */
const PROGRESS_UNITS = 10_000;

/** The progress of an invocation: the mean of its steps. It never decreases, also when a step runs again. */
export class InvocationProgress {
  private readonly done: number[];
  private reported = 0;

  constructor(
    steps: number,
    private readonly events: Pick<EventWriter, 'emit'>,
  ) {
    this.done = Array<number>(steps).fill(0);
  }

  /** Reports the progress of one step, from 0 to 1. A message is emitted even if the value did not increase. */
  report(step: number, value: number, message?: string): void {
    this.done[step] = Math.max(this.done[step] ?? 0, value);
    const mean = this.done.reduce((sum, one) => sum + one, 0) / this.done.length;
    const whole = Math.round(mean * PROGRESS_UNITS) / PROGRESS_UNITS;
    // The `end` event reports 100 %, not this method.
    if ((whole <= this.reported || whole === 1) && message === undefined) return;
    this.reported = whole;
    this.events.emit({ event: 'progress', value: whole, ...(message !== undefined && { message }) });
  }
}
