import { ERROR_TYPES, isFinal, ToolError, toFailure, type Failure, type JsonObject } from '@errand/contracts';
import { Parked } from '@errand/engine';
import { resolveTemplates } from '@errand/protocol';
import { SupersededError, type StepOutcome } from '@errand/queue';
import { AwaitInvocation } from './await-invocation.js';
import { RunStep } from './run-step.js';
import type { StepContext } from './step-context.js';

/** Since when a step runs, and in which attempt. */
type Stand = Pick<StepOutcome, 'startedAt' | 'attempts'>;

/** Runs one call of an invocation with the results that it takes from others, and writes down how it stands. */
export class RunCall {
  constructor(
    private readonly runStep: RunStep,
    private readonly awaitInvocation: AwaitInvocation,
  ) {}

  /**
   * @param started the outcomes of the other calls, by their numbers, as far as they have been begun
   * @throws ToolError as the tool failed, with its number in `details.step` where there are several calls; Parked while it waits
   */
  async run(context: StepContext, started: readonly Promise<StepOutcome>[]): Promise<StepOutcome> {
    const { index, work, before, progress } = context;
    if (before && isSettled(before)) {
      progress.report(index, 1);
      if (before.error) throw stepFailure(before.error, index);
      return before;
    }
    const several = work.record.calls.length > 1;
    const stand = { startedAt: before?.startedAt ?? now(), attempts: work.attempt - work.parks };
    if (several) await tell(context, { status: 'running', ...stand });
    try {
      const result = await this.runStep.run(context, await this.resolveArguments(context, started));
      const ended: StepOutcome = { status: 'succeeded', result, ...stand, finishedAt: now() };
      if (several) await tell(context, ended);
      if (several) progress.report(index, 1);
      return ended;
    } catch (error) {
      if (error instanceof Parked) await tellParked(context, error, stand);
      if (error instanceof Parked || error instanceof SupersededError || !several) throw error;
      const failure = toFailure(error, 'ServiceError');
      const status = failure.type === 'CancelledError' ? 'cancelled' : 'failed';
      await tell(context, { status, error: failure, ...stand, finishedAt: now() });
      throw stepFailure(failure, index);
    }
  }

  private resolveArguments(
    { work, index, signal }: StepContext,
    started: readonly Promise<StepOutcome>[],
  ): Promise<JsonObject> {
    return resolveTemplates(work.record.calls[index]!.arguments, {
      step: async (n) => (await started[n]!).result ?? null,
      job: (id) => this.awaitInvocation.result(work.record.tenant, id, signal),
    });
  }
}

async function tell({ index, journal, events }: StepContext, outcome: StepOutcome): Promise<void> {
  await journal.writeState(`${index}`, outcome, { ended: isFinal(outcome.status) });
  events.emit({ event: 'step', index, status: outcome.status });
}

/** What an external tool waits for, it has told itself. */
async function tellParked(context: StepContext, { forAnswer }: Parked, stand: Stand): Promise<void> {
  if (context.work.record.calls[context.index]!.kind === 'external') return;
  await tell(context, { status: forAnswer ? 'waiting_external' : 'running', ...stand });
}

/** Whether a step need not, or may not, run again: it ended, and not by what a retry may mend. */
function isSettled({ status, error }: StepOutcome): boolean {
  return isFinal(status) && (!error || !ERROR_TYPES[error.type].retryable);
}

function stepFailure({ type, message, details }: Failure, step: number): ToolError {
  return new ToolError(type, message, { ...details, step });
}

function now(): string {
  return new Date().toISOString();
}
