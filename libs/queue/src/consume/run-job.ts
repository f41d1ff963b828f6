import { ToolError } from '@errand/contracts';
import { DelayedError } from 'bullmq';
import { AttemptFailed, decideRetry, type AttemptInfo } from './retry-policy.js';
import { toJobError } from './retry-policy.js';
import type { RunningJobs, StartHistory } from './running-jobs.js';
import { SupersededError } from '../bullmq/held-lock.js';
import { jobIdOf } from '../bullmq/layout.js';
import type { LockKeeper } from '../bullmq/lock-keeper.js';
import { storeLargeResults } from '../state/large-results.js';
import { labelOf, type WorkQueue } from '../redis/queue-names.js';
import { SuspendJob, suspendJob } from '../suspend/suspend-job.js';
import type { InvocationRecord, Outcome } from '../state/record.js';
import { resumeWaiters } from '../suspend/waiters.js';

/*
 * Seven exceptions control what happens to a job:
 *
 * - Suspended. A node, workflow or step throws it when it has to wait long. The worker catches it when it combines the steps. If nothing
 *   else can continue, it throws SuspendJob.
 * - SuspendedForInvocation. It is a Suspended that names another invocation. The step catches it first, records in its state what it waits
 *   for, and throws it again. The end of the other invocation resumes the job.
 * - RunnerAwaited. `runChild` throws it if no script-runner with the label is free. The worker catches it and throws Suspended. The job is
 *   resumed when a runner takes the script.
 * - SuspendJob. A handler throws it. `JobRunner` catches it and moves the job to the delayed jobs.
 * - AttemptFailed. A handler throws it with its decision on a retry. `JobRunner` catches it. Without a pause, it throws BullMQ's
 *   UnrecoverableError, which ends the job. With a pause, it throws RetryError.
 * - RetryError. `JobRunner` throws it. BullMQ catches it, reads the pause from it (`pauseOf`), and moves the job to the delayed jobs.
 * - SupersededError. A fenced write or a lost lock throws it when another process has the job. No caller handles it: the run stops, and BullMQ
 *   cannot store its failure without the lock. The job continues in the other process.
 */

/** A running job, as its handler sees it. */
export interface Work {
  id: string;
  record: InvocationRecord;
  /** The number of this start, from 1. Starts after a suspension or a death of a process count. It fences all writes. */
  attempt: number;
  /** The number of starts after a suspension. They do not count as attempts. */
  suspensions: number;
  /** The time of this start in ms; for a job that was suspended, the time of its first start. */
  begunAt: number;
  /** An earlier process died with this job. The effect of its work is unknown. */
  afterCrash: boolean;
  /**
   * Fires after a cancel request, or when another process has taken the job over. It may have fired before the handler begins. The
   * handler must then only stop what an earlier process has left running.
   */
  signal: AbortSignal;
  /** Resolves with the result of `wait`. The job holds no slot meanwhile, so that the worker can run another one. */
  withoutSlot: <T>(wait: Promise<T>) => Promise<T>;
}

export type Handle = (work: Work) => Promise<Outcome>;

/** Makes the attachments of an invocation expire later, because the invocation needs them after a wait (ms). */
export type KeepAttachments = (record: InvocationRecord, waitMs: number) => Promise<void>;

/**
 * How long attachments are kept for a wait without a known end, in ms. An answer of a person can take months; another invocation or a
 * script-runner takes hours. Nothing shortens the life of a file after the wait, so a longer time would fill Redis.
 */
const UNKNOWN_WAIT_MS = { answer: 90 * 86_400_000, time: 7 * 86_400_000 };

/** What a consumer gives to the runs of its jobs. */
export interface RunHooks {
  onError: (error: Error) => void;
  withoutSlot: <T>(id: string, wait: Promise<T>) => Promise<T>;
  keepAttachments: KeepAttachments | undefined;
}

/** What a run needs of a job, of BullMQ or of a consumer. Times in ms. */
export interface InvocationJob {
  id?: string | undefined;
  data: InvocationRecord;
  attemptsStarted: number;
  stalledCounter: number;
  processedOn?: number | undefined;
  /** A cancel request came before this start. */
  isCancelRequested?: boolean;
  /** When this process asked for the job (ms of `performance.now()`). Undefined: the step that took it did not record its start. */
  askedAt?: number | undefined;
}

/** Runs the jobs of one queue and reports to BullMQ how each attempt ended. */
export class JobRunner {
  constructor(
    private readonly queue: WorkQueue,
    private readonly runningJobs: RunningJobs,
    private readonly locks: LockKeeper,
    private readonly handle: Handle,
    private readonly hooks: RunHooks,
  ) {}

  async run(job: InvocationJob, token: string): Promise<Outcome> {
    const id = jobIdOf(job);
    const signal = this.runningJobs.add(id, job);
    let suspensions = 0;
    this.publishStart(id, job);
    try {
      const history = await this.historyOf(job);
      ({ suspensions } = history);
      const withoutSlot: Work['withoutSlot'] = (wait) => this.hooks.withoutSlot(id, wait);
      const outcome = await this.handle({ ...workOf(job, history, signal), withoutSlot });
      signal.throwIfAborted();
      return await this.storeLargeResults(job, outcome);
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error;
      if (reason instanceof SupersededError) {
        this.locks.giveUp(id, token);
        throw reason;
      }
      // After a cancel request the job is due at once, because only its handler can end what runs for it elsewhere.
      if (error instanceof SuspendJob) return await this.suspend(job, token, error);
      const attempt = { attempts: job.attemptsStarted - suspensions, asked: job.data.retry };
      const { failure, pauseMs } = toAttemptFailed(reason, attempt);
      // A retry reads the attachments after the pause, and a repair of a failed invocation reads them later.
      await this.keepAttachments(job, pauseMs ?? 0);
      throw toJobError(failure, pauseMs);
    } finally {
      this.runningJobs.remove(id, job.attemptsStarted);
    }
  }

  /** The start of a script with a label also resumes the invocation that waits for a runner. The end of the script would do the same. */
  private publishStart(id: string, { askedAt, data }: InvocationJob): void {
    if (askedAt === undefined) this.runningJobs.recordStart(id, data).catch(this.hooks.onError);
    if (labelOf(this.queue) !== undefined) resumeWaiters(this.runningJobs, id).catch(this.hooks.onError);
  }

  /** The script of a step returns its whole result to the invocation, which stores it. */
  private async storeLargeResults(job: InvocationJob, outcome: Outcome): Promise<Outcome> {
    const { data, attemptsStarted } = job;
    if (data.parent) return outcome;
    const { maxResultChars } = data;
    return storeLargeResults(
      this.runningJobs.redis,
      { id: jobIdOf(job), attempt: attemptsStarted, maxResultChars },
      outcome,
    );
  }

  /** Before its first start, a job cannot have been suspended. */
  private async historyOf(job: InvocationJob): Promise<StartHistory> {
    const { attemptsStarted, data } = job;
    if (attemptsStarted > 1) return this.runningJobs.recordRestart(jobIdOf(job), attemptsStarted, data);
    return { suspensions: 0, begunAt: undefined };
  }

  /** An error does not stop the job: its attachments may live long enough. */
  private async keepAttachments({ data }: InvocationJob, waitMs: number): Promise<void> {
    if (data.attachments) await this.hooks.keepAttachments?.(data, waitMs).catch(this.hooks.onError);
  }

  private async suspend(job: InvocationJob, token: string, reason: SuspendJob): Promise<never> {
    const { until, waitsFor } = reason;
    const waitMs = until === undefined ? UNKNOWN_WAIT_MS[waitsFor] : Math.max(0, until - Date.now());
    await this.keepAttachments(job, waitMs);
    const owned = { id: jobIdOf(job), token, record: job.data };
    await this.locks.asHolder(owned.id, token, () => suspendJob(this.runningJobs.redis, this.queue, owned, reason));
    throw new DelayedError();
  }
}

function workOf(
  job: InvocationJob,
  { suspensions, begunAt }: StartHistory,
  signal: AbortSignal,
): Omit<Work, 'withoutSlot'> {
  return {
    id: jobIdOf(job),
    record: job.data,
    attempt: job.attemptsStarted,
    suspensions,
    begunAt: begunAt ?? job.processedOn ?? Date.now(),
    afterCrash: job.stalledCounter > 0,
    signal,
  };
}

/** A handler may decide on the retry itself. Any other error is decided here; an error that is not a ToolError is a bug in Errand. */
function toAttemptFailed(reason: unknown, attempt: AttemptInfo): AttemptFailed {
  if (reason instanceof AttemptFailed) return reason;
  return decideRetry(reason instanceof ToolError ? reason : internalError(reason), attempt);
}

function internalError(error: unknown): ToolError {
  const cause = error instanceof Error ? error.message : String(error);
  return new ToolError('ServiceError', `Internal error: ${cause}`);
}
