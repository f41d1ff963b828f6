import type { Job } from 'bullmq';
import { isHeavy, nextBatch } from './batch-ends.js';
import type { BullQueue } from './bull-queue.js';
import { endByBullmq, type RunEnd } from './end-by-bullmq.js';
import { END_CODE, type EndCode, type LeanEnd } from './finish-and-take.js';
import { SupersededError } from './held-lock.js';
import type { TakenJob } from './taken-job.js';

export interface EndOptions<Data, End extends LeanEnd> {
  /** The end of a job for the lean script, or undefined if it needs BullMQ's script. */
  leanEndOf: (job: TakenJob<Data>, end: RunEnd) => End | undefined;
  onError: (error: Error) => void;
  /** Called when the end of a job is stored. */
  onEnded?: (job: TakenJob<Data>) => void;
  /** Called when a failed job was put back for its next attempt. */
  onRetried?: (job: Job) => void;
}

/** An ended job whose end is not stored. */
export interface PendingEnd<Data, End extends LeanEnd> {
  ending: End;
  job: TakenJob<Data>;
  end: RunEnd;
  /** Called when its end is stored, or another process has the job. */
  onSettled: () => void;
}

/** The ends of jobs that a consumer has to store. `send` stores some at once; the others wait for the next call. */
export class JobEnds<Data, End extends LeanEnd> {
  private readonly pending: PendingEnd<Data, End>[] = [];

  constructor(
    private readonly queue: BullQueue,
    private readonly options: EndOptions<Data, End>,
    /** Called when ends wait for the next call. */
    private readonly onPending: () => void,
    private readonly send: (ends: PendingEnd<Data, End>[]) => Promise<unknown>,
  ) {}

  get isEmpty(): boolean {
    return this.pending.length === 0;
  }

  /** Removes the ends that the next call stores. */
  next(): PendingEnd<Data, End>[] {
    return nextBatch(this.pending);
  }

  /** Stores the next ones by a call of their own. Resolves when it has answered. */
  async sendNow(): Promise<void> {
    const ends = this.next();
    if (ends.length > 0) await this.send(ends);
  }

  /** Resolves when the end of a job is stored, or another process has the job. */
  async store(job: TakenJob<Data>, end: RunEnd): Promise<void> {
    const ending = this.options.leanEndOf(job, end);
    if (ending === undefined) return this.storeByBullmq(job, end);
    await new Promise<void>((onSettled) => {
      const pending = { ending, job, end, onSettled };
      if (isHeavy(pending)) void this.send([pending]);
      else {
        this.pending.push(pending);
        this.onPending();
      }
    });
  }

  /** Takes note of what a call has done with an ended job. `now` is the time of the call (ms). */
  settle({ ending, job, end, onSettled }: PendingEnd<Data, End>, code: EndCode, now: number): void {
    if (code === END_CODE.other) return void this.storeByBullmq(job, end).then(onSettled);
    if (code === END_CODE.lost) this.options.onError(new SupersededError(job.id));
    else {
      job.finishedOn = now;
      if (!ending.isSuccess) job.failedReason = ending.value;
      this.options.onEnded?.(job);
    }
    onSettled();
  }

  private async storeByBullmq(job: TakenJob<Data>, end: RunEnd): Promise<void> {
    const { onError, onEnded, onRetried } = this.options;
    if (job.logLine !== undefined) await this.queue.addLog(job.id, job.logLine).catch(onError);
    const stored = await endByBullmq(this.queue, job, end, onError);
    if (!stored) return;
    if (stored.finishedOn === undefined) return onRetried?.(stored);
    job.finishedOn = stored.finishedOn;
    if (stored.failedReason !== undefined) job.failedReason = stored.failedReason;
    onEnded?.(job);
  }
}
