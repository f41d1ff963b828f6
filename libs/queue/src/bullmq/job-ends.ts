import { UnrecoverableError, type Job } from 'bullmq';
import type { InvocationRecord } from '../state/record.js';
import { notedOf, NOTHING_NOTED } from '../stats/noted-record.js';
import { isHeavy, nextBatch } from './batch-ends.js';
import type { BullQueue } from './bull-queue.js';
import { endByBullmq, type RunEnd } from './end-by-bullmq.js';
import { END_CODE, type EndCode, type Ending } from './finish-and-take.js';
import { SupersededError } from './held-lock.js';
import type { TakenJob } from './taken-job.js';

export interface EndOptions<Data> {
  /** See `BackendUse`. The lean script ends only indexed jobs. */
  isIndexed: boolean;
  onError: (error: Error) => void;
  /** Called when the end of a job is stored. */
  onEnded?: (job: TakenJob<Data>) => void;
  /** Called when a failed job was put back for its next attempt. */
  onRetried?: (job: Job) => void;
}

/** An ended job whose end is not stored. */
export interface PendingEnd<Data> extends Ending {
  job: TakenJob<Data>;
  end: RunEnd;
  /** Called when its end is stored, or another process has the job. */
  onSettled: () => void;
}

/** The ends of jobs that a consumer has to store. `send` stores some at once; the others wait for the next call. */
export class JobEnds<Data> {
  private readonly pending: PendingEnd<Data>[] = [];

  constructor(
    private readonly queue: BullQueue,
    private readonly options: EndOptions<Data>,
    /** Called when ends wait for the next call. */
    private readonly onPending: () => void,
    private readonly send: (ends: PendingEnd<Data>[]) => Promise<unknown>,
  ) {}

  get isEmpty(): boolean {
    return this.pending.length === 0;
  }

  /** Removes the ends that the next call stores. */
  next(): PendingEnd<Data>[] {
    return nextBatch(this.pending);
  }

  /** Stores the next ones by a call of their own. Resolves when it has answered. */
  async sendNow(): Promise<void> {
    const ends = this.next();
    if (ends.length > 0) await this.send(ends);
  }

  /** Resolves when the end of a job is stored, or another process has the job. */
  async store(job: TakenJob<Data>, end: RunEnd): Promise<void> {
    const value = this.leanValue(job, end);
    if (value === undefined) return this.storeByBullmq(job, end);
    await new Promise<void>((onSettled) => {
      const pending = pendingEnd(job, { end, value, onSettled });
      if (isHeavy(pending)) void this.send([pending]);
      else {
        this.pending.push(pending);
        this.onPending();
      }
    });
  }

  /** Takes note of what a call has done with an ended job. `now` is the time of the call (ms). */
  settle({ job, end, value, isSuccess, onSettled }: PendingEnd<Data>, code: EndCode, now: number): void {
    if (code === END_CODE.other) return void this.storeByBullmq(job, end).then(onSettled);
    if (code === END_CODE.lost) this.options.onError(new SupersededError(job.id));
    else {
      job.finishedOn = now;
      if (!isSuccess) job.failedReason = value;
      this.options.onEnded?.(job);
    }
    onSettled();
  }

  /** What the lean script stores, or undefined for an end that needs BullMQ's script: a retry, a removal or a result that is no JSON. */
  private leanValue(job: TakenJob<Data>, end: RunEnd): string | undefined {
    if (!job.isLean || !this.options.isIndexed) return undefined;
    if ('error' in end) return end.error instanceof UnrecoverableError ? end.error.message : undefined;
    try {
      return JSON.stringify(end.result) ?? 'null';
    } catch {
      return undefined;
    }
  }

  private async storeByBullmq(job: TakenJob<Data>, end: RunEnd): Promise<void> {
    const { onError, onEnded, onRetried } = this.options;
    const stored = await endByBullmq(this.queue, job, end, onError);
    if (!stored) return;
    if (stored.finishedOn === undefined) return onRetried?.(stored);
    job.finishedOn = stored.finishedOn;
    if (stored.failedReason !== undefined) job.failedReason = stored.failedReason;
    onEnded?.(job);
  }
}

/** One literal: to spread parts of it costs as much as the rest of storing an end. */
function pendingEnd<Data>(
  job: TakenJob<Data>,
  { end, value, onSettled }: Pick<PendingEnd<Data>, 'end' | 'value' | 'onSettled'>,
): PendingEnd<Data> {
  const { id, token, name, attemptsStarted: attempt, data } = job;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the jobs of indexed queues are invocations and their scripts
  const record = data as InvocationRecord;
  const { tenant: owner, parent, idempotency } = record;
  const tenant = parent ? undefined : owner;
  const { tools, agent } = parent ? NOTHING_NOTED : notedOf(record);
  const isSuccess = 'result' in end;
  return { id, token, attempt, isSuccess, value, name, tenant, idempotency, tools, agent, job, end, onSettled };
}
