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

/** A BullMQ worker that knows whether it has anything to finish, and whose locks are kept by us until that is stored. */
export class DrainingWorker<Data, Result> extends Worker<Data, Result> {
  /** Jobs whose end is not stored yet. */
  private unfinished = 0;

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
    const release = this.locks.hold(job.id!, token, job.attemptsStarted);
    try {
      return await super.processJob(job, token, fetchNext);
    } finally {
      release();
      this.unfinished--;
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
}
