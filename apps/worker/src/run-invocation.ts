import { Semaphore, ToolError } from '@errand/contracts';
import { withLogContext, type Logger } from '@errand/platform';
import { stepsReferredTo } from '@errand/protocol';
import {
  endChildren,
  EventWriter,
  AttemptFailed,
  removeFailedChildren,
  JournalWriter,
  keepBeside,
  SuspendJob,
  Queues,
  readSteps,
  releaseBeside,
  SupersededError,
  NotificationHub,
  type Outcome,
  type StepOutcome,
  type Work,
} from '@errand/queue';
import { combineSteps, InvocationProgress } from './steps/combine-steps.js';
import { RunStep } from './steps/run-step.js';
import { isFirstStart, type StepContext } from './steps/step-context.js';

/** Calls side by side that run at a time, where the caller names no number. */
const SIDE_BY_SIDE = 20;

/** A timer of the runtime cannot be set further. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What the steps of an invocation have in common. */
type Shared = Omit<StepContext, 'index' | 'before' | 'awaited'>;

/**
 * Runs the calls of one invocation, in order or side by side. Of several calls each outcome is written down before what follows
 * it begins, so that a worker that takes over goes on from there. The first failure ends a sequence, unless its call says that the
 * others go on; what waits parks the whole.
 */
export class RunInvocation {
  constructor(
    private readonly queues: Queues,
    private readonly notifications: NotificationHub,
    private readonly runStep: RunStep,
    private readonly logger: Logger,
  ) {}

  /** @throws AttemptFailed of the step that failed first; SuspendJob where all that is left to do waits */
  run(work: Work): Promise<Outcome> {
    return withLogContext({ invocationId: work.id, tenant: work.record.tenant }, () => this.runLogged(work));
  }

  private async runLogged(work: Work): Promise<Outcome> {
    const fence = { queue: 'invocations', attempt: work.attempt } as const;
    const unstored = (err: unknown) => this.logger.warn({ err }, 'events could not be stored');
    const events = new EventWriter(this.queues, work.id, unstored, fence);
    const told = { tools: work.record.calls.map((call) => call.toolId), attempt: work.attempt };
    try {
      const steps = await this.runSteps(work, events);
      if (work.parks > 0) await releaseBeside(this.queues, work.id);
      this.logger.info(told, 'invocation succeeded');
      return { steps };
    } catch (err) {
      if (err instanceof SuspendJob) await this.keep(work, err);
      else await this.logFailure(work, err, told);
      throw err;
    } finally {
      await events.flush();
    }
  }

  /** What failed within the steps is run anew by the next try. */
  private async logFailure({ id }: Work, err: unknown, told: object): Promise<void> {
    const pauseMs = err instanceof AttemptFailed ? err.pauseMs : undefined;
    if (pauseMs !== undefined) await removeFailedChildren(this.queues, id);
    this.logger.info({ ...told, err, ...(pauseMs !== undefined && { pauseMs }) }, 'invocation failed');
  }

  private async keep({ id, record }: Work, { until, waitsFor }: SuspendJob): Promise<void> {
    const digests = record.calls.map((call) => call.digest);
    await keepBeside(this.queues, id, digests, until);
    this.logger.info({ waitsFor, until }, 'invocation parked');
  }

  private async runSteps(work: Work, events: EventWriter): Promise<StepOutcome[]> {
    const { calls, timeoutMs } = work.record;
    const over = timeoutMs === undefined ? undefined : endOfTime(work.begunAt, timeoutMs);
    const signal = over ? AbortSignal.any([work.signal, over.signal]) : work.signal;
    const journal = new JournalWriter(this.queues, 'invocations', work.id, work.attempt);
    const progress = new InvocationProgress(calls.length, events);
    const shared = { work, signal, events, journal, progress, ...(over && { deadline: over.deadline }) };
    try {
      const settled = await this.settle(shared);
      signal.throwIfAborted();
      return combineSteps(settled, over?.deadline);
    } catch (error) {
      if (!signal.aborted || work.signal.reason instanceof SupersededError) throw error;
      // A process that was paused may learn of its time before it learns that others have the job, with the same scripts.
      await journal.requireCurrent();
      // Whoever ends it early leaves nothing running: only then does the state say that it has ended.
      await endChildren(this.queues, this.notifications, work.id);
      throw signal.reason;
    } finally {
      over?.clear();
    }
  }

  /** Begins each step when those before it, or those that it takes results of, have ended well enough; resolves when none runs. */
  private async settle(shared: Shared): Promise<PromiseSettledResult<StepOutcome>[]> {
    const { work, signal } = shared;
    signal.throwIfAborted();
    const { calls, mode, concurrency = SIDE_BY_SIDE } = work.record;
    const permits = new Semaphore(concurrency);
    const before = isFirstStart(work) ? new Map<number, StepOutcome>() : await readSteps(this.queues, work.id);
    const started: Promise<StepOutcome>[] = [];
    for (const [index, call] of calls.entries()) {
      const needed = mode === 'sequence' ? started.slice(-1) : stepsReferredTo(call.arguments).map((n) => started[n]!);
      const known = before.get(index);
      const context = { ...shared, index, awaited: new Set<string>(), ...(known && { before: known }) };
      started.push(Promise.all(needed).then(() => permits.run(() => this.runStep.run(context, started))));
    }
    return Promise.allSettled(started);
  }
}

interface EndOfTime {
  /** In ms since 1970. */
  deadline: number;
  /** Fires then, with a TimeoutError. */
  signal: AbortSignal;
  clear(): void;
}

function endOfTime(begunAt: number, timeoutMs: number): EndOfTime {
  const deadline = begunAt + timeoutMs;
  const controller = new AbortController();
  const over = () =>
    controller.abort(new ToolError('TimeoutError', `The invocation did not end within its limit of ${timeoutMs} ms`));
  const timer = setTimeout(over, Math.min(Math.max(0, deadline - Date.now()), LONGEST_TIMER_MS));
  return { deadline, signal: controller.signal, clear: () => clearTimeout(timer) };
}
