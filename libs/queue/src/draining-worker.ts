import { Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';

/** A BullMQ worker that knows whether it has anything to finish. */
export class DrainingWorker<Data, Result> extends Worker<Data, Result> {
  /** Jobs whose end is not stored yet. */
  private unfinished = 0;

  override async processJob(
    job: Job<Data, Result>,
    token: string,
    fetchNext?: () => boolean,
  ): Promise<void | Job<Data, Result>> {
    this.unfinished++;
    try {
      return await super.processJob(job, token, fetchNext);
    } finally {
      this.unfinished--;
    }
  }

  /** Ends when what is in hand has ended and that is stored. An idle one does not wait for a Redis that is away, as BullMQ's would. */
  async drain(redis: Redis): Promise<void> {
    await this.close(this.unfinished === 0 && redis.status !== 'ready');
  }
}
