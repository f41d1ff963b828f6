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

  /**
   * Ends when what is in hand has ended and that is stored, and farewells are said. An idle one does not wait for a Redis that is away,
   * as BullMQ's would: its connections are at an end then, too.
   */
  async drain(redis: Redis, ...farewells: Promise<unknown>[]): Promise<void> {
    await Promise.race([Promise.all([this.close(), ...farewells]), this.untilForsaken(redis)]);
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
