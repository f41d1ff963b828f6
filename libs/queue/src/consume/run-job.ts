import { ToolError } from '@errand/contracts';
import { DelayedError, type Job } from 'bullmq';
import { AttemptFailed, decideRetry, type AttemptInfo } from './retry-policy.js';
import { toJobError } from './retry-policy.js';
import type { RunningJobs, Marks } from './running-jobs.js';
import { SupersededError } from '../bullmq/held-lock.js';
import type { LockKeeper } from '../bullmq/lock-keeper.js';
import { storeLargeResults } from '../state/large-results.js';
import { keys, labelOf, type WorkQueue } from '../redis/names.js';
import { SuspendJob, suspendJob } from '../suspend/suspend-job.js';
import type { InvocationRecord, Outcome } from '../state/record.js';
import { resumeWaiters } from '../suspend/waiters.js';

/** A job in hand. */
export interface Work {
  id: string;
  record: InvocationRecord;
  /** 1 for the first start; counts every start, also after a park or the death of a process. It fences what is written. */
  attempt: number;
  /** How many of the starts followed a park: those are no attempts. */
  suspensions: number;
  /** When it was started, in ms; of one that has been parked, when it was before that. */
  begunAt: number;
  /** Whether an earlier process died with this job in hand: what it did is not known. */
  afterCrash: boolean;
  /**
   * Fires when the job is no longer this process's to run: somebody cancelled it, or another process has taken it over. It may
   * have fired before the work begins: then there is only to stop what an earlier process has left behind.
   */
  signal: AbortSignal;
  /** What `wait` gives. The job holds no slot meanwhile, so that the worker can run another one. */
  withoutSlot: <T>(wait: Promise<T>) => Promise<T>;
}

export type Handle = (work: Work) => Promise<Outcome>;
type InvocationJob = Job<InvocationRecord, Outcome>;

/** Runs the jobs of one queue, and says to BullMQ how each attempt ended. */
export class JobRunner {
  constructor(
    private readonly queue: WorkQueue,
    private readonly runningJobs: RunningJobs,
    private readonly locks: LockKeeper,
    private readonly handle: Handle,
    private readonly onError: (error: Error) => void,
    private readonly withoutSlot: <T>(id: string, wait: Promise<T>) => Promise<T>,
  ) {}

  async run(job: InvocationJob, token: string): Promise<Outcome> {
    const signal = this.runningJobs.take(job.id!, job.attemptsStarted);
    let suspensions = 0;
    this.tellBegun(job.id!);
    try {
      const marks = await this.marksOf(job);
      suspensions = marks.suspensions;
      const outcome = await this.handle({
        ...workOf(job, marks, signal),
        withoutSlot: (wait) => this.withoutSlot(job.id!, wait),
      });
      signal.throwIfAborted();
      return await this.storeLargeResults(job, outcome);
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error;
      if (reason instanceof SupersededError) throw reason;
      if (reason instanceof SuspendJob) return await this.suspend(job, token, reason);
      const { failure, pauseMs } = judge(reason, {
        attempts: job.attemptsStarted - suspensions,
        asked: job.data.retry,
      });
      throw toJobError(failure, pauseMs);
    } finally {
      this.runningJobs.drop(job.id!, job.attemptsStarted);
    }
  }

  /** Who has asked for a script of a label waits for somebody to take it, most often parked. Its end would wake him, too. */
  private tellBegun(id: string): void {
    const told: Promise<unknown>[] = [this.runningJobs.redis.publish(keys.notifications, id)];
    if (labelOf(this.queue) !== undefined) told.push(resumeWaiters(this.runningJobs, id));
    Promise.all(told).catch(this.onError);
  }

  /** The script of a step gives its result to the invocation, which lays it aside. */
  private async storeLargeResults({ id, data, attemptsStarted }: InvocationJob, outcome: Outcome): Promise<Outcome> {
    if (data.parent) return outcome;
    const { maxResultChars } = data;
    return storeLargeResults(this.runningJobs.redis, { id: id!, attempt: attemptsStarted, maxResultChars }, outcome);
  }

  /** Only a job that was begun before can have been parked, or wished away unseen; for a first start the look costs no time. */
  private async marksOf(job: InvocationJob): Promise<Marks> {
    if (job.attemptsStarted > 1) return this.runningJobs.look(job.id!, !job.data.parent);
    this.runningJobs.lookBeside(job.id!);
    return { suspensions: 0, begunAt: undefined };
  }

  private async suspend(job: InvocationJob, token: string, suspend: SuspendJob): Promise<never> {
    const owned = { id: job.id!, token, tenant: job.data.tenant };
    await this.locks.asHolder(owned.id, token, () => suspendJob(this.runningJobs.redis, this.queue, owned, suspend));
    throw new DelayedError();
  }
}

function workOf(job: InvocationJob, { suspensions, begunAt }: Marks, signal: AbortSignal): Omit<Work, 'withoutSlot'> {
  return {
    id: job.id!,
    record: job.data,
    attempt: job.attemptsStarted,
    suspensions,
    begunAt: begunAt ?? job.processedOn!,
    afterCrash: job.stalledCounter > 0,
    signal,
  };
}

function judge(reason: unknown, tried: AttemptInfo): AttemptFailed {
  if (reason instanceof AttemptFailed) return reason;
  return decideRetry(reason instanceof ToolError ? reason : faultOfOurs(reason), tried);
}

function faultOfOurs(error: unknown): ToolError {
  const said = error instanceof Error ? error.message : String(error);
  return new ToolError('ServiceError', `A fault of the platform: ${said}`);
}
