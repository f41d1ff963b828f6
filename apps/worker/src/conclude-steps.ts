import { ERROR_TYPES, ToolError } from '@errand/contracts';
import { Parked } from '@errand/engine';
import { ParkJob, type StepOutcome } from '@errand/queue';

/**
 * How an invocation goes on from where its steps stand, once each of them has ended or is parked. What a retry may mend is thrown
 * first; then, what waits is waited for, though another step has failed for good; then the first failure.
 * @param deadline when the time of the whole is over, in ms since 1970
 * @throws the failure, or ParkJob
 */
export function concludeSteps(
  settled: readonly PromiseSettledResult<StepOutcome>[],
  deadline: number | undefined,
): StepOutcome[] {
  const reasons = settled.flatMap((step) => (step.status === 'rejected' ? [step.reason as unknown] : []));
  const parks = reasons.filter((reason) => reason instanceof Parked);
  const failures = reasons.filter((reason) => !(reason instanceof Parked));
  const mendable = failures.find((reason) => !(reason instanceof ToolError) || ERROR_TYPES[reason.type].retryable);
  if (mendable !== undefined) throw mendable;
  if (parks.length > 0) throw parkUntil(parks, deadline);
  if (failures.length > 0) throw failures[0];
  return settled.flatMap((step) => (step.status === 'fulfilled' ? [step.value] : []));
}

function parkUntil(parks: readonly Parked[], deadline = Infinity): ParkJob {
  const until = Math.min(deadline, ...parks.map((park) => park.until ?? Infinity));
  const waitsFor = parks.some(({ forAnswer }) => forAnswer) ? 'answer' : 'time';
  return new ParkJob(until === Infinity ? undefined : until, waitsFor);
}
