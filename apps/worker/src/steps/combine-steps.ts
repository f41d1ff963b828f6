import { ToolError } from '@errand/contracts';
import { Suspended } from '@errand/engine';
import { AttemptFailed, SuspendJob, type StepOutcome, type EventWriter } from '@errand/queue';

/**
 * How an invocation goes on from where its steps stand, once each of them has ended or is parked. What is to be tried again is thrown
 * first, the longest pause before all; then, what waits is waited for, though another step has failed for good; then the first failure.
 * @param deadline when the time of the whole is over, in ms since 1970
 * @throws the failure, or SuspendJob
 */
export function combineSteps(
  settled: readonly PromiseSettledResult<StepOutcome>[],
  deadline: number | undefined,
): StepOutcome[] {
  const reasons = settled.flatMap((step) => (step.status === 'rejected' ? [step.reason as unknown] : []));
  const parks = reasons.filter((reason) => reason instanceof Suspended);
  const failures = reasons.filter((reason) => !(reason instanceof Suspended));
  const again = failures.filter((reason) => pauseOf(reason) !== undefined);
  if (again.length > 0) throw again.reduce((one, other) => (pauseOf(other)! > pauseOf(one)! ? other : one));
  if (parks.length > 0) throw suspendUntil(parks, deadline);
  if (failures.length > 0) throw failures[0];
  const outcomes = settled.flatMap((step) => (step.status === 'fulfilled' ? [step.value] : []));
  requireSuccess(outcomes);
  return outcomes;
}

/** Failures that others may go on after are no failure of the whole, unless there is nothing else. */
function requireSuccess(outcomes: readonly StepOutcome[]): void {
  const first = outcomes.findIndex(({ error }) => error !== undefined);
  if (first === -1 || outcomes.some(({ status }) => status === 'succeeded')) return;
  const { type, message, details } = outcomes[first]!.error!;
  throw new AttemptFailed(new ToolError(type, message, { ...details, step: first }), undefined);
}

/** A fault of the platform has no say of its own in when it is tried again. */
function pauseOf(reason: unknown): number | undefined {
  return reason instanceof AttemptFailed ? reason.pauseMs : 0;
}

function suspendUntil(parks: readonly Suspended[], deadline = Infinity): SuspendJob {
  const until = Math.min(deadline, ...parks.map((park) => park.until ?? Infinity));
  const waitsFor = parks.some(({ forAnswer }) => forAnswer) ? 'answer' : 'time';
  return new SuspendJob(until === Infinity ? undefined : until, waitsFor);
}

/** So finely it is told. */
const TOLD_STEPS = 10_000;

/** How much of an invocation is done: the mean of its steps. It never goes back, for a step that runs again has been told of before. */
export class InvocationProgress {
  private readonly done: number[];
  private told = 0;

  constructor(
    steps: number,
    private readonly events: Pick<EventWriter, 'emit'>,
  ) {
    this.done = Array<number>(steps).fill(0);
  }

  /** `value` is the step's own, from 0 to 1. A message is told even where the value says nothing new. */
  report(step: number, value: number, message?: string): void {
    this.done[step] = Math.max(this.done[step]!, value);
    const mean = this.done.reduce((sum, one) => sum + one, 0) / this.done.length;
    const whole = Math.round(mean * TOLD_STEPS) / TOLD_STEPS;
    // That all is done, the end says.
    if ((whole <= this.told || whole === 1) && message === undefined) return;
    this.told = whole;
    this.events.emit({ event: 'progress', value: whole, ...(message !== undefined && { message }) });
  }
}
