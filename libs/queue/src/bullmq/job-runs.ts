import { DelayedError, UnrecoverableError } from 'bullmq';
import { MOST_ENDS } from './batch-ends.js';
import type { ConsumerOptions, JobProcessor } from './consumer-options.js';
import type { ConsumerSlots } from './consumer-slots.js';
import { asError, type RunEnd } from './end-by-bullmq.js';
import type { LeanEnd } from './finish-and-take.js';
import { SupersededError } from './held-lock.js';
import type { JobEnds } from './job-ends.js';
import { MeanRun } from './mean-run.js';
import { RecentStarts } from './recent-starts.js';
import { SlotReserve } from './slot-reserve.js';
import { StartPace } from './start-pace.js';
import { startInOrder } from './start-order.js';
import { TakeLimit } from './take-limit.js';
import type { TakenJob } from './taken-job.js';

interface RunNeeds<Data, End extends LeanEnd> {
  slots: ConsumerSlots;
  ends: JobEnds<Data, End>;
  /** Whether jobs of the queue wait for a slot. */
  othersWait: () => boolean;
  /** Called when a slot is free again, or an end is stored. */
  onChange: () => void;
  /** Called with errors of calls to Redis. */
  onError: (error: unknown) => void;
}

/** The runs of the jobs that a consumer has taken, from their start until their end is stored. */
export class JobRuns<Data, Result, End extends LeanEnd> {
  private readonly limit: TakeLimit;
  private readonly starts: RecentStarts;
  private readonly meanRun = new MeanRun();
  private readonly reserve: SlotReserve;
  private readonly pace: StartPace;
  /** Jobs whose end is not stored yet. */
  private unfinished = 0;

  constructor(
    private readonly process: JobProcessor<Data, Result>,
    private readonly options: Pick<ConsumerOptions<Data, End>, 'locks' | 'lockMs' | 'concurrency' | 'shared'>,
    private readonly needs: RunNeeds<Data, End>,
  ) {
    this.starts = new RecentStarts(options.concurrency);
    this.limit = new TakeLimit(MOST_ENDS, this.starts);
    this.reserve = new SlotReserve(options.concurrency, this.starts, this.meanRun);
    this.pace = new StartPace(options.concurrency, this.starts, this.meanRun, () => needs.onChange());
  }

  /** Returns how many jobs the next call may take. If jobs wait and none may start now, `onChange` is called when one may. */
  mayTake(): number {
    const { slots, othersWait } = this.needs;
    // Consumers that share their slots see a part of the starts each.
    const isPaced = othersWait() && !this.options.shared;
    return Math.min(this.limit.next, isPaced ? this.pace.mayStart(slots.free) : slots.free);
  }

  /** Whether the ends of all jobs are stored. */
  get areStored(): boolean {
    return this.unfinished === 0;
  }

  /** Starts jobs that were taken at `takenAt` (ms), and returns their number. After a pause, another process may have some of them. */
  async startAll(jobs: readonly TakenJob<Data>[], takenAt: number): Promise<number> {
    const { locks, lockMs } = this.options;
    let kept = jobs.map((job) => ({ job, release: locks.keep(job.id, job.token, job.attemptsStarted) }));
    if (jobs.length > 0 && Date.now() - takenAt > lockMs / 2) {
      await locks.renewAll().catch(this.needs.onError);
      kept = kept.filter(({ job }) => locks.isHeld(job.id, job.token));
    }
    this.unfinished += kept.length;
    const group = kept.map(({ job, release }) => ({ tenant: job.tenant, run: () => void this.run(job, release) }));
    for (const { tenant } of group) {
      this.starts.note(tenant);
      this.pace.noteStart(tenant);
    }
    const start = (some: readonly (typeof group)[number][]) => {
      this.limit.noteStarts(some.map(({ tenant }) => tenant));
      for (const { run } of some) run();
    };
    await startInOrder(group, this.starts, start, () => this.needs.ends.sendNow());
    return kept.length;
  }

  private async run(job: TakenJob<Data>, release: () => void): Promise<void> {
    const { slots, ends, onChange } = this.needs;
    const start = performance.now();
    const end = await this.resultOf(job);
    const isMoved = 'error' in end && (end.error instanceof DelayedError || end.error instanceof SupersededError);
    const freeIn = this.endRun(job, start, 'result' in end);
    if (freeIn === 0) slots.endRun(job.id);
    if (!isMoved) await ends.store(job, end);
    release();
    this.unfinished--;
    const leave = () => {
      if (freeIn > 0) slots.endRun(job.id);
      slots.endJob(job.id);
      onChange();
    };
    if (freeIn === 0) leave();
    else setTimeout(leave, freeIn);
  }

  /** Returns for how long the slot of the job stays free (ms). It is 0 for a job that failed: the same job can start again here within that time. */
  private endRun({ tenant }: TakenJob<Data>, start: number, isSuccess: boolean): number {
    const now = performance.now();
    this.meanRun.note(now - start);
    return this.reserve.endOf(tenant, now, isSuccess && this.needs.othersWait());
  }

  private async resultOf(job: TakenJob<Data>): Promise<RunEnd> {
    try {
      if (job.deferredFailure !== undefined) throw new UnrecoverableError(job.deferredFailure);
      return { result: await this.process(job, job.token) };
    } catch (error) {
      return { error: asError(error) };
    }
  }
}
