import type { BackendFactory, Job, Processor, RedisQueueBackend, WorkerOptions } from 'bullmq';
import { DrainingWorker } from './draining-worker.js';
import type { LockKeeper } from './keep-locks.js';
import type { Seats } from './seats.js';

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
