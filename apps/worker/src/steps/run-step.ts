import { Inject, Injectable } from '@nestjs/common';
import { isFinal, ToolError, type Failure, type Json, type JsonObject } from '@errand/contracts';
import { Suspended } from '@errand/engine';
import { resolveTemplates } from '@errand/protocol';
import { AttemptFailed, Queues, SupersededError, resumeWaiters, type StepOutcome } from '@errand/queue';
import { AwaitInvocation, SuspendedForInvocation } from './await-invocation.js';
import { DispatchTool } from './dispatch-tool.js';
import { SuspendedForChild } from '../turn/child-invocations.js';
import { stepAttemptsOf, isOneOfSeveral, type StepAttempts, type StepContext } from './step-context.js';

/**
 * Runs one step of an invocation. The step is `running`, then it has one of these ends:
 *
 * - `succeeded`, with a result.
 * - `queued`, with an error and a pause: the invocation is retried after the pause, and the step runs again.
 * - `failed` or `cancelled`, with an error. With `onError: continue`, a failed step does not end the invocation.
 * - Suspended: `waiting_external` for an answer; `running` for a time, another invocation or a runner.
 *
 * In an invocation of several calls, each status is stored and emitted as an event. A single step has the status of its invocation.
 */
@Injectable()
export class RunStep {
  constructor(
    @Inject(Queues) private readonly queues: Queues,
    @Inject(DispatchTool) private readonly dispatchTool: DispatchTool,
    @Inject(AwaitInvocation) private readonly awaitInvocation: AwaitInvocation,
  ) {}

  /**
   * @param started the outcomes of the steps that were started before this one, by index
   * @returns the outcome; a failed one if the call has `onError: continue`
   * @throws AttemptFailed if the tool fails (among several calls with the index in `details.step`); Suspended while the step waits
   */
  async run(context: StepContext, started: readonly Promise<StepOutcome>[]): Promise<StepOutcome> {
    const { index, before, progress, signal } = context;
    if (before && isFinal(before.status)) {
      progress.report(index, 1);
      return this.conclude(context, before);
    }
    signal.throwIfAborted();
    const attemptInfo = stepAttemptsOf(context);
    // A step that waits for an answer keeps its state, because it continues to wait until the same deadline.
    const isStillWaiting = before?.waiting?.for === 'answer' && before.waiting.invocationId === undefined;
    if (!isStillWaiting && (isOneOfSeveral(context) || before?.waiting))
      await record(context, { status: 'running', ...attemptInfo });
    try {
      const { result, from } = await this.dispatchTool.run(context, await this.resolveArguments(context, started));
      const origin = from && { deduplicatedFrom: from };
      const ended: StepOutcome = { status: 'succeeded', result, ...attemptInfo, ...origin, finishedAt: now() };
      await this.recordEnd(context, ended);
      return ended;
    } catch (error) {
      if (error instanceof Suspended) await recordSuspended(context, error, attemptInfo);
      if (error instanceof Suspended || error instanceof SupersededError) throw error;
      return await this.fail(context, error, attemptInfo);
    }
  }

  /** @throws AttemptFailed, unless the call has `onError: continue` */
  private async fail(context: StepContext, error: unknown, attemptInfo: StepAttempts): Promise<StepOutcome> {
    const stopped = stopOf(context);
    const { failure, pauseMs } =
      stopped ?? (await this.dispatchTool.decideStepRetry(context, error, attemptInfo.attempts));
    const outcome = { error: failure.toFailure(), ...attemptInfo };
    if (pauseMs !== undefined) {
      if (isOneOfSeveral(context)) await record(context, { status: 'queued', ...outcome });
      throw new AttemptFailed(failure, pauseMs);
    }
    const status = failure.type === 'CancelledError' ? 'cancelled' : 'failed';
    const ended: StepOutcome = { status, ...outcome, finishedAt: now() };
    await this.recordEnd(context, ended);
    return this.conclude(context, ended);
  }

  private async recordEnd(context: StepContext, ended: StepOutcome): Promise<void> {
    if (!isOneOfSeveral(context)) return;
    await record(context, ended);
    context.progress.report(context.index, 1);
    // Other invocations of the session may wait for this step. Those that wait for the whole invocation check it and wait on.
    if (context.work.record.session !== undefined) await resumeWaiters(this.queues, context.work.id);
  }

  private conclude(context: StepContext, ended: StepOutcome): StepOutcome {
    const { error, status } = ended;
    if (!error) return ended;
    const continues = context.call.onError === 'continue' && status === 'failed' && isOneOfSeveral(context);
    if (continues && !context.signal.aborted) return ended;
    throw new AttemptFailed(isOneOfSeveral(context) ? withStep(error, context.index) : toError(error), undefined);
  }

  private resolveArguments(context: StepContext, started: readonly Promise<StepOutcome>[]): Promise<JsonObject> {
    return resolveTemplates(context.call.arguments, {
      step: async (n) => resultOf(await started[n], n),
      job: (id) => this.awaitInvocation.result(context, id),
    });
  }
}

/**
 * The end of a step that the signal stopped, whatever error it threw: a timeout of the invocation, or a cancel.
 * @throws SupersededError if another process has the job
 */
function stopOf({ signal }: StepContext): AttemptFailed | undefined {
  if (!signal.aborted) return undefined;
  if (!(signal.reason instanceof ToolError)) throw signal.reason;
  return new AttemptFailed(signal.reason, undefined);
}

function resultOf(outcome: StepOutcome | undefined, index: number): Json {
  if (outcome?.status === 'succeeded') return outcome.result ?? null;
  throw new ToolError('ParameterValidationError', `Step ${index + 1} failed: it has no result to take`);
}

/** Stores the outcome of a step so far. Among several steps, also emits it as an event. */
async function record(context: StepContext, outcome: StepOutcome): Promise<void> {
  const { index, journal, events } = context;
  await journal.writeStep(index, outcome);
  const { status, attempts = 1, waiting } = outcome;
  const more = {
    ...(status === 'running' && attempts > 1 && { attempt: attempts }),
    ...(waiting && { waiting: waiting.for }),
  };
  if (isOneOfSeveral(context)) events.emit({ event: 'step', index, status, ...more });
}

/** Stores why a step is suspended. An external tool has stored that itself. */
async function recordSuspended(context: StepContext, suspended: Suspended, attemptInfo: StepAttempts): Promise<void> {
  if (suspended instanceof SuspendedForInvocation) {
    const waiting = { for: 'invocation', invocationId: suspended.invocationId, until: null } as const;
    return record(context, { status: 'running', ...attemptInfo, waiting });
  }
  if (suspended instanceof SuspendedForChild) {
    const { waiting } = suspended;
    const status = suspended.forAnswer ? 'waiting_external' : 'running';
    return record(context, { status, ...attemptInfo, waiting });
  }
  const [label] = context.awaited;
  if (label !== undefined && !suspended.forAnswer) {
    const waiting = { for: 'runner', label, until: null } as const;
    return record(context, { status: 'running', ...attemptInfo, waiting });
  }
  if (context.call.kind === 'external') return;
  await record(context, { status: suspended.forAnswer ? 'waiting_external' : 'running', ...attemptInfo });
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
