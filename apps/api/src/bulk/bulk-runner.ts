import { BulkActions, Queues, type TakenBulk } from '@errand/queue';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ApiLogger } from '../api-tokens.js';
import { BulkWork } from './bulk-work.js';

/** How often a process looks for parts of bulk actions, also of those that another process has left. */
const LOOK_MS = 1_000;
/** The pause after a part that could not be done. */
const PAUSE_MS = 2_000;
/** How many parts one process works on at the same time. */
const PARTS_AT_ONCE = 2;

/**
 * Works on the bulk actions of all tenants, one part at a time in turns, so that a long action does not hold up others. Every API process does:
 * an action goes on if its process is gone.
 */
@Injectable()
export class BulkRunner implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly actions: BulkActions,
    private readonly work: BulkWork,
    private readonly queues: Queues,
    private readonly logger: ApiLogger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.look(), LOOK_MS);
  }

  /** Resolves when the parts that this process works on are stored. Does not wait while Redis is away. */
  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.queues.unlessAway(Promise.all(this.running));
  }

  /** Begins to work on what is due, if this process has a free place. */
  look(): void {
    if (this.isStopped || this.running.size >= PARTS_AT_ONCE || this.queues.redis.status !== 'ready') return;
    const work = this.workOn()
      .catch((err: unknown) => this.logger.warn({ err }, 'the work on bulk actions was interrupted'))
      .finally(() => this.running.delete(work));
    this.running.add(work);
  }

  private async workOn(): Promise<void> {
    while (!this.isStopped) {
      const bulk = await this.actions.take();
      if (!bulk) return;
      this.look();
      await this.doPart(bulk);
    }
  }

  private async doPart(bulk: TakenBulk): Promise<void> {
    let isOurs = true;
    const timer = setInterval(() => {
      this.actions.renew(bulk).then(
        (renewed) => (isOurs = renewed),
        () => {},
      );
    }, this.actions.renewMs);
    try {
      const part = await this.work.nextPart(bulk);
      isOurs = await this.actions.renew(bulk, part);
      await this.actions.commit(bulk, await this.work.dealWith(bulk, part, () => isOurs));
    } catch (err) {
      this.logger.warn({ err, bulkId: bulk.id }, 'a part of a bulk action is done again');
      const same = { done: 0, skipped: 0, failed: [], next: bulk.position ?? '' };
      await this.actions.commit(bulk, same, PAUSE_MS);
    } finally {
      clearInterval(timer);
    }
  }
}
