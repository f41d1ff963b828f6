import {
  Worker,
  type BackendFactory,
  type Job,
  type Processor,
  type RedisQueueBackend,
  type WorkerOptions,
} from 'bullmq';
import type { Redis } from 'ioredis';
import type { LockKeeper } from './keep-locks.js';
import { SlotlessJobs } from '../consume/slotless-jobs.js';
import type { Seats } from '../consume/seats.js';

/**
 * A BullMQ worker that knows whether it has anything to finish. A LockKeeper keeps the locks of its jobs until their end is stored. Jobs
 * can give up their slot while they wait.
 */
export class DrainingWorker<Data, Result> extends Worker<Data, Result> {
  /** Jobs whose end is not stored yet. */
  private unfinished = 0;
  private readonly slots = this.concurrency;
  private readonly slotless = new SlotlessJobs({
    isFull: () => this.unfinished - this.slotless.count >= this.slots,
    onChange: (count) => this.setConcurrency(this.slots + count),
  });

  /** What `wait` gives; the job holds no slot meanwhile, and another job can take it. */
  waitWithoutSlot<T>(id: string, wait: Promise<T>): Promise<T> {
    return this.slotless.wait(id, wait);
  }

  /** @param inner the backend whose commands need the locks */
  constructor(
    name: string,
    processor: Processor<Data, Result>,
    options: WorkerOptions,
    private readonly locks: LockKeeper,
    inner: BackendFactory<RedisQueueBackend>,
  ) {
    super(name, processor, { ...options, skipLockRenewal: true }, locks.backend(inner));
  }

  override async processJob(
    job: Job<Data, Result>,
    token: string,
    fetchNext?: () => boolean,
  ): Promise<void | Job<Data, Result>> {
    this.unfinished++;
    const id = job.id!;
    const release = this.locks.hold(id, token, job.attemptsStarted);
    // A job that waits for a slot to go on comes before the next job of the queue.
    const mayFetch = () => {
      if (this.slotless.count > 0) this.slotless.forget(id);
      return !this.slotless.isReturning && (fetchNext?.() ?? true);
    };
    try {
      return await super.processJob(job, token, mayFetch);
    } finally {
      release();
      this.unfinished--;
      if (this.slotless.count > 0) this.slotless.forget(id);
    }
  }

  /**
   * Ends when what is in hand has ended and that is stored, and farewells are said. An idle one does not wait for a Redis that is away,
   * as BullMQ's would: its connections are at an end then, too.
   */
  async drain(redis: Redis, ...farewells: Promise<unknown>[]): Promise<void> {
    await Promise.race([Promise.all([this.close(), ...farewells]), this.untilForsaken(redis)]);
    this.locks.close();
  }

  /** Resolves when Redis is away while there is nothing to finish: what is unfinished then stays so until Redis is back. */
  private untilForsaken(redis: Redis): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.unfinished === 0 && redis.status !== 'ready') resolve();
      };
      redis.on('close', look);
      look();
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

export interface Seating {
  seats: Seats;
  /** Says to others that the queue is to be looked at: who was told of a job that he has no seat for passes that on. */
  passOn: () => Promise<unknown>;
}

/**
 * A BullMQ worker that takes a job only where it has a seat for it, and gives the seat back when the job's end is stored. Then it asks
 * for another one like every other worker, so that no queue is served before the rest.
 */
export class SeatedWorker<Data, Result> extends DrainingWorker<Data, Result> {
  /** Jobs that were taken and not begun: BullMQ begins them when it has taken as many as it gets. */
  private unbegun = 0;

  constructor(
    name: string,
    processor: Processor<Data, Result>,
    options: WorkerOptions,
    locks: LockKeeper,
    inner: BackendFactory<RedisQueueBackend>,
    private readonly seating: Seating | undefined,
  ) {
    super(name, processor, options, locks, inner);
  }

  /** Gives undefined where there is no job, whatever its type says in BullMQ. */
  protected override async moveToActive(token: string, name?: string): Promise<Job<Data, Result>> {
    if (!this.seating) return super.moveToActive(token, name);
    let job: Job<Data, Result> | undefined;
    if (!(await this.takeSeat(this.seating))) return job!;
    try {
      // Told to end while it waited, it takes nothing new.
      if (!this.closing) job = await super.moveToActive(token, name);
    } finally {
      if (job) this.unbegun++;
      else this.seating.seats.give();
    }
    return job!;
  }

  /** False where it must not be waited for: jobs that were taken before would not be begun, and keep their seats. */
  private async takeSeat({ seats, passOn }: Seating): Promise<boolean> {
    if (seats.tryTake()) return true;
    await passOn();
    if (this.unbegun > 0) return false;
    await seats.take();
    return true;
  }

  override async processJob(
    job: Job<Data, Result>,
    token: string,
    fetchNext?: () => boolean,
  ): Promise<void | Job<Data, Result>> {
    if (!this.seating) return super.processJob(job, token, fetchNext);
    this.unbegun--;
    try {
      return await super.processJob(job, token, () => false);
    } finally {
      this.seating.seats.give();
    }
  }
}
