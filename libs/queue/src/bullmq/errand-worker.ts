import { Worker, type Job, type Processor, type WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Semaphore } from '@errand/contracts';
import { SlotlessJobs } from '../consume/slotless-jobs.js';
import { errandBackend } from './errand-backend.js';
import { JOBS_WAIT, jobIdOf } from './layout.js';
import type { LockKeeper } from './lock-keeper.js';

/** An idle worker asks for a job at least every 13 s: after the longest wait for a marker, and the grace of a lost connection. */
const ASKS_MS = 15_000;

export interface ErrandWorkerOptions extends WorkerOptions {
  /** Keeps the locks of the jobs until their end is stored. */
  locks: LockKeeper;
  /** See `BackendUse`. */
  isIndexed: boolean;
  /** See `BackendUse`. */
  fair?: (() => (string | number)[]) | undefined;
  /** Slots that several workers share. `marker` is the key of the queue's marker set. */
  shared?: { slots: Semaphore; redis: Redis; marker: string } | undefined;
}

/**
 * A BullMQ worker that knows whether it has jobs to finish, whose jobs can give up their slot while they wait, and that can share its slots
 * with other workers of the process. With shared slots it takes a job only if one is free, and releases the slot when the job's end is
 * stored. It then asks for the next job like every other worker, so that no queue goes first.
 */
export class ErrandWorker<Data, Result> extends Worker<Data, Result> {
  /** Jobs whose end is not stored yet. */
  private unfinished = 0;
  /** Jobs that were taken and not started. BullMQ starts them after it has taken as many as it can get. */
  private unstarted = 0;
  /** It waits for a slot that another worker of the process has. */
  private awaitsSlot = false;
  /** When it last asked Redis for a job and got an answer (ms). */
  private askedAt = Date.now();
  private readonly slots = this.concurrency;
  private readonly slotless = new SlotlessJobs({
    isFull: () => this.unfinished - this.slotless.count >= this.slots,
    onChange: (count) => this.setConcurrency(this.slots + count),
  });

  constructor(
    name: string,
    processor: Processor<Data, Result>,
    private readonly given: ErrandWorkerOptions,
  ) {
    const { locks, isIndexed, fair, shared: _, ...options } = given;
    super(name, processor, { ...options, skipLockRenewal: true }, errandBackend({ isIndexed, locks, fair }));
  }

  /** Resolves with the result of `wait`. The job holds no slot meanwhile, and another job can take it. */
  waitWithoutSlot<T>(id: string, wait: Promise<T>): Promise<T> {
    return this.slotless.wait(id, wait);
  }

  /** Whether it takes jobs: it has asked for one lately, or all slots are taken. */
  get takesJobs(): boolean {
    const isFull = this.awaitsSlot || this.unfinished - this.slotless.count >= this.slots;
    return isFull || Date.now() - this.askedAt < ASKS_MS;
  }

  /** Returns undefined if no job waits, although its type in BullMQ does not say so. */
  protected override async moveToActive(token: string, name?: string): Promise<Job<Data, Result>> {
    const { shared } = this.given;
    if (!shared) return this.ask(token, name);
    let job: Job<Data, Result> | undefined;
    if (!(await this.takeSlot(shared))) return job!;
    try {
      // The worker may have begun to close while it waited for the slot.
      if (!this.closing) job = await this.ask(token, name);
    } finally {
      if (job) this.unstarted++;
      else shared.slots.release();
    }
    return job!;
  }

  /**
   * A consumer without a free slot publishes the marker again, so that an idle consumer takes the job. False if the worker must not wait
   * for a slot: jobs that it took before would not start, and would keep their slots.
   */
  private async takeSlot({ slots, redis, marker }: NonNullable<ErrandWorkerOptions['shared']>): Promise<boolean> {
    if (slots.tryAcquire()) return true;
    await redis.zadd(marker, JOBS_WAIT.score, JOBS_WAIT.member);
    if (this.unstarted > 0) return false;
    this.awaitsSlot = true;
    await slots.acquire();
    this.awaitsSlot = false;
    return true;
  }

  private async ask(token: string, name?: string): Promise<Job<Data, Result>> {
    const job = await super.moveToActive(token, name);
    this.askedAt = Date.now();
    return job;
  }

  override async processJob(
    job: Job<Data, Result>,
    token: string,
    fetchNext?: () => boolean,
  ): Promise<void | Job<Data, Result>> {
    const { shared, locks } = this.given;
    if (shared) this.unstarted--;
    this.unfinished++;
    const id = jobIdOf(job);
    const release = locks.keep(id, token, job.attemptsStarted);
    // A job that waits for a slot to continue comes before the next job of the queue.
    const mayFetch = () => {
      if (this.slotless.count > 0) this.slotless.remove(id);
      return !shared && !this.slotless.isReturning && (fetchNext?.() ?? true);
    };
    try {
      return await super.processJob(job, token, mayFetch);
    } finally {
      release();
      this.unfinished--;
      if (this.slotless.count > 0) this.slotless.remove(id);
      shared?.slots.release();
    }
  }

  /**
   * Takes no more jobs. Resolves when the running jobs have ended, their end is stored and `last` has settled. An idle worker does not wait
   * for a Redis that is away, as BullMQ's would: its connections have ended as well.
   */
  async drain(redis: Redis, ...last: Promise<unknown>[]): Promise<void> {
    await Promise.race([Promise.all([this.close(), ...last]), this.untilNothingToStore(redis)]);
    this.given.locks.close();
  }

  /** Resolves when Redis is away and no job is unfinished. An unfinished job stays so until Redis is back. */
  private untilNothingToStore(redis: Redis): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.unfinished === 0 && redis.status !== 'ready') resolve();
      };
      redis.on('close', check);
      check();
    });
  }

  /** BullMQ compares the number of its jobs with the new one when one of them ends. An empty entry among them makes it compare now. */
  private setConcurrency(concurrency: number): void {
    const isMore = concurrency > this.concurrency;
    this.concurrency = concurrency;
    if (!isMore) return;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- private in BullMQ; null while its loop does not run
    const loop = Reflect.get(this, 'mainLoopQueue') as { add(job: Promise<undefined>): void } | null;
    loop?.add(Promise.resolve(undefined));
  }
}
