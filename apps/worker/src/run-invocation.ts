import { Inject, Injectable } from '@nestjs/common';
import { WorkerLogger } from './worker-tokens.js';
import { Semaphore, ToolError } from '@errand/contracts';
import type { Logger } from '@errand/platform';
import { stepsReferredTo } from '@errand/protocol';
import {
  Definitions,
  endChildren,
  EventWriter,
  AttemptFailed,
  removeFailedChildren,
  JournalWriter,
  extendRetention,
  keepSession,
  SuspendJob,
  Queues,
  readSteps,
  resetRetention,
  settleSession,
  SupersededError,
  NotificationHub,
  type Outcome,
  type StepOutcome,
  type Work,
} from '@errand/queue';
import { EndRemoteTasks } from './remote/end-remote-tasks.js';
import { combineSteps, InvocationProgress } from './steps/combine-steps.js';
import { RunAlone } from './steps/run-alone.js';
import { RunStep } from './steps/run-step.js';
import { isFirstStart, logFieldsOf, type StepContext } from './steps/step-context.js';

/** The number of steps that run at the same time, unless the caller names a number. */
const DEFAULT_CONCURRENCY = 20;

/** The longest time of a timer of the runtime. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The part of the context that all steps of an invocation share. */
type SharedContext = Omit<StepContext, 'index' | 'call' | 'before' | 'awaited'>;

/**
 * Runs the steps of one invocation, in sequence or in parallel. If there are several steps, the outcome of each one is stored before a
 * dependent step begins, so that another worker can continue from there. The first failure ends a sequence, unless the call has
 * `onError: continue`. A step that waits suspends the whole invocation.
 */
@Injectable()
export class RunInvocation {
  constructor(
    @Inject(Queues) private readonly queues: Queues,
    @Inject(NotificationHub) private readonly notifications: NotificationHub,
    @Inject(RunAlone) private readonly runAlone: RunAlone,
    @Inject(RunStep) private readonly runStep: RunStep,
    @Inject(WorkerLogger) private readonly logger: Logger,
    @Inject(EndRemoteTasks) private readonly endRemoteTasks: EndRemoteTasks,
    @Inject(Definitions) private readonly definitions: Definitions,
  ) {}

  /** @throws AttemptFailed of the step that failed first; SuspendJob if all unfinished steps wait */
  async run(work: Work): Promise<Outcome> {
    const alone = await this.runAlone.run(work);
    if (!alone) return this.runWithState(work);
    this.logger.info(endFieldsOf(work), 'invocation succeeded');
    return { steps: [alone] };
  }

  private async runWithState(work: Work): Promise<Outcome> {
    const fence = { queue: 'invocations', attempt: work.attempt } as const;
    const reportLoss = (err: unknown) => this.logger.warn({ ...logFieldsOf(work), err }, 'events could not be stored');
    const events = new EventWriter(this.queues, work.id, reportLoss, fence);
    try {
      const steps = await this.runSteps(work, events);
      if (work.suspensions > 0)
        await Promise.all([resetRetention(this.queues, work.id), settleSession(this.queues, work.record)]);
      this.logger.info(endFieldsOf(work), 'invocation succeeded');
      return { steps };
    } catch (err) {
      if (err instanceof SuspendJob) await this.keep(work, err);
      else await this.prepareRetry(work, err);
      if (!(err instanceof SuspendJob) && work.suspensions > 0) await settleSession(this.queues, work.record);
      throw err;
    } finally {
      await events.flush();
    }
  }

  /** Before a retry, removes the failed script jobs of the steps, so that the next attempt runs these scripts again. */
  private async prepareRetry(work: Work, err: unknown): Promise<void> {
    const pauseMs = err instanceof AttemptFailed ? err.pauseMs : undefined;
    if (pauseMs !== undefined) await removeFailedChildren(this.queues, work.id);
    this.logger.info({ ...endFieldsOf(work), err, ...(pauseMs !== undefined && { pauseMs }) }, 'invocation failed');
  }

  /** Extends the lifetime of the data that the invocation needs after its suspension. */
  private async keep(work: Work, { until, waitsFor }: SuspendJob): Promise<void> {
    const { id, record } = work;
    const digests = [...record.calls.map((call) => call.digest), ...(await this.inventoryOf(record))];
    await Promise.all([extendRetention(this.queues, id, digests, until), keepSession(this.queues, record, until)]);
    this.logger.info({ ...logFieldsOf(work), waitsFor, until }, 'invocation suspended');
  }

  /** The digests of the tools that turns of agents may still call. */
  private async inventoryOf({ calls }: Work['record']): Promise<string[]> {
    const agents = calls.filter(({ kind }) => kind === 'agent');
    const definitions = await Promise.all(
      agents.map(({ digest }) => this.definitions.get(digest).catch(() => undefined)),
    );
    return definitions.flatMap((definition) => (definition?.agent?.tools ?? []).flatMap(({ digest }) => digest ?? []));
  }

  private async runSteps(work: Work, events: EventWriter): Promise<StepOutcome[]> {
    const { calls, timeoutMs } = work.record;
    const limit = timeoutMs === undefined ? undefined : startTimeLimit(work.begunAt, timeoutMs);
    const signal = limit ? AbortSignal.any([work.signal, limit.signal]) : work.signal;
    const journal = new JournalWriter(this.queues, 'invocations', work.id, work.attempt);
    const progress = new InvocationProgress(calls.length, events);
    const shared = { work, signal, events, journal, progress, ...(limit && { deadline: limit.deadline }) };
    try {
      const settled = await this.settle(shared);
      signal.throwIfAborted();
      return combineSteps(settled, limit?.deadline);
    } catch (error) {
      if (!signal.aborted || work.signal.reason instanceof SupersededError) throw error;
      // In a process that was paused, the time limit can fire although another process has the job and its scripts by now.
      await journal.requireCurrent();
      // The invocation ends early. Its status may say so only when none of its scripts runs any more.
      await Promise.all([
        endChildren(this.queues, this.notifications, work.id),
        this.endRemoteTasks.run(work.id, journal),
      ]);
      throw signal.reason;
    } finally {
      limit?.clear();
    }
  }

  /**
   * Starts each step when the steps that it depends on have ended: the step before it in a sequence, else the steps whose results it
   * takes. Resolves when no step runs any more.
   */
  private async settle(shared: SharedContext): Promise<PromiseSettledResult<StepOutcome>[]> {
    const { work, signal } = shared;
    signal.throwIfAborted();
    const { calls, mode, concurrency = DEFAULT_CONCURRENCY } = work.record;
    const permits = new Semaphore(concurrency);
    const before = isFirstStart(work) ? new Map<number, StepOutcome>() : await readSteps(this.queues, work.id);
    const started: Promise<StepOutcome>[] = [];
    for (const [index, call] of calls.entries()) {
      const needed =
        mode === 'sequence' ? started.slice(-1) : stepsReferredTo(call.arguments).flatMap((n) => started[n] ?? []);
      const known = before.get(index);
      const context = { ...shared, index, call, awaited: new Set<string>(), ...(known && { before: known }) };
      started.push(Promise.all(needed).then(() => permits.run(() => this.runStep.run(context, started))));
    }
    return Promise.allSettled(started);
  }
}

/** The fields of the log lines at the end of an attempt. */
function endFieldsOf(work: Work): object {
  return { ...logFieldsOf(work), tools: work.record.calls.map((call) => call.toolId), attempt: work.attempt };
}

interface TimeLimit {
  /** In ms since 1970. */
  deadline: number;
  /** Fires at the deadline, with a TimeoutError. */
  signal: AbortSignal;
  clear(): void;
}

function startTimeLimit(begunAt: number, timeoutMs: number): TimeLimit {
  const deadline = begunAt + timeoutMs;
  const controller = new AbortController();
  const abort = () =>
    controller.abort(new ToolError('TimeoutError', `The invocation did not end within its limit of ${timeoutMs} ms`));
  const timer = setTimeout(abort, Math.min(Math.max(0, deadline - Date.now()), LONGEST_TIMER_MS));
  return { deadline, signal: controller.signal, clear: () => clearTimeout(timer) };
}
