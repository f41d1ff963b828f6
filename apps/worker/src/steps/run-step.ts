import { isFinal, ToolError, type Failure, type Json, type JsonObject } from '@errand/contracts';
import { Suspended } from '@errand/engine';
import { resolveTemplates } from '@errand/protocol';
import {
  AttemptFailed,
  Queues,
  SupersededError,
  resumeWaiters,
  type RecordedCall,
  type StepOutcome,
} from '@errand/queue';
import { AwaitInvocation, SuspendedForInvocation } from './await-invocation.js';
import { DispatchTool } from './dispatch-tool.js';
import { attemptInfoOf, type AttemptInfo } from './step-context.js';
import { isOneOfSeveral, type StepContext } from './step-context.js';

/** Runs one call of an invocation with the results that it takes from others, and writes down how it stands. */
export class RunStep {
  constructor(
    private readonly queues: Queues,
    private readonly dispatchTool: DispatchTool,
    private readonly awaitInvocation: AwaitInvocation,
  ) {}

  /**
   * @param started the outcomes of the other calls, by their numbers, as far as they have been begun
   * @returns how it ended: also that it failed, where the others are to go on in spite of that
   * @throws AttemptFailed as the tool failed, with its number in `details.step` where there are several calls; Suspended while it waits
   */
  async run(context: StepContext, started: readonly Promise<StepOutcome>[]): Promise<StepOutcome> {
    const { index, before, progress, signal } = context;
    if (before && isFinal(before.status)) {
      progress.report(index, 1);
      return this.conclude(context, before);
    }
    signal.throwIfAborted();
    const attemptInfo = attemptInfoOf(context);
    // An answer that was waited for before still is, until the same time.
    const waitsOn = before?.waiting?.for === 'answer';
    if (!waitsOn && (isOneOfSeveral(context) || before?.waiting))
      await tell(context, { status: 'running', ...attemptInfo });
    try {
      const { result, from } = await this.dispatchTool.run(context, await this.resolveArguments(context, started));
      const told = from && { deduplicatedFrom: from };
      const ended: StepOutcome = { status: 'succeeded', result, ...attemptInfo, ...told, finishedAt: now() };
      await this.tellEnd(context, ended);
      return ended;
    } catch (error) {
      if (error instanceof Suspended) await recordSuspended(context, error, attemptInfo);
      if (error instanceof Suspended || error instanceof SupersededError) throw error;
      return await this.fail(context, error, attemptInfo);
    }
  }

  /** @throws AttemptFailed, unless the others go on */
  private async fail(context: StepContext, error: unknown, attemptInfo: AttemptInfo): Promise<StepOutcome> {
    const stopped = stopOf(context);
    const { failure, pauseMs } =
      stopped ?? (await this.dispatchTool.decideStepRetry(context, error, attemptInfo.attempts));
    const told = { error: failure.toFailure(), ...attemptInfo };
    if (pauseMs !== undefined) {
      if (isOneOfSeveral(context)) await tell(context, { status: 'queued', ...told });
      throw new AttemptFailed(failure, pauseMs);
    }
    const status = failure.type === 'CancelledError' ? 'cancelled' : 'failed';
    const ended: StepOutcome = { status, ...told, finishedAt: now() };
    await this.tellEnd(context, ended);
    return this.conclude(context, ended);
  }

  private async tellEnd(context: StepContext, ended: StepOutcome): Promise<void> {
    if (!isOneOfSeveral(context)) return;
    await tell(context, ended);
    context.progress.report(context.index, 1);
    // Others of its session may wait for this step. Those that wait for the whole look, and wait on.
    if (context.work.record.session !== undefined) await resumeWaiters(this.queues, context.work.id);
  }

  private conclude(context: StepContext, ended: StepOutcome): StepOutcome {
    const { error, status } = ended;
    if (!error) return ended;
    const goesOn = callOf(context).onError === 'continue' && status === 'failed' && isOneOfSeveral(context);
    if (goesOn && !context.signal.aborted) return ended;
    throw new AttemptFailed(isOneOfSeveral(context) ? withStep(error, context.index) : toError(error), undefined);
  }

  private resolveArguments(context: StepContext, started: readonly Promise<StepOutcome>[]): Promise<JsonObject> {
    return resolveTemplates(callOf(context).arguments, {
      step: async (n) => resultOf(await started[n]!, n),
      job: (id) => this.awaitInvocation.result(context, id),
    });
  }
}

/**
 * How a step ends that was stopped, whatever it threw: by the time of the whole, or cancelled.
 * @throws SupersededError where another process has the job
 */
function stopOf({ signal }: StepContext): AttemptFailed | undefined {
  if (!signal.aborted) return undefined;
  if (!(signal.reason instanceof ToolError)) throw signal.reason;
  return new AttemptFailed(signal.reason, undefined);
}

function callOf({ work, index }: StepContext): RecordedCall {
  return work.record.calls[index]!;
}

function resultOf({ status, result }: StepOutcome, index: number): Json {
  if (status === 'succeeded') return result ?? null;
  throw new ToolError('ParameterValidationError', `Step ${index + 1} failed: it has no result to take`);
}

async function tell(context: StepContext, outcome: StepOutcome): Promise<void> {
  const { index, journal, events } = context;
  await journal.writeStep(index, outcome);
  if (isOneOfSeveral(context)) events.emit({ event: 'step', index, status: outcome.status });
}

/** What an external tool waits for, it has told itself. */
async function recordSuspended(context: StepContext, park: Suspended, attemptInfo: AttemptInfo): Promise<void> {
  if (park instanceof SuspendedForInvocation) {
    const waiting = { for: 'invocation', invocationId: park.invocationId, until: null } as const;
    return tell(context, { status: 'running', ...attemptInfo, waiting });
  }
  const [label] = context.awaited;
  if (label !== undefined && !park.forAnswer) {
    const waiting = { for: 'runner', label, until: null } as const;
    return tell(context, { status: 'running', ...attemptInfo, waiting });
  }
  if (callOf(context).kind === 'external') return;
  await tell(context, { status: park.forAnswer ? 'waiting_external' : 'running', ...attemptInfo });
}

function toError({ type, message, details }: Failure): ToolError {
  return new ToolError(type, message, details);
}

function withStep({ details, ...failure }: Failure, step: number): ToolError {
  return toError({ ...failure, details: { ...details, step } });
}

function now(): string {
  return new Date().toISOString();
}
