import type { Queues } from '../redis/connect.js';
import { RetentionCleaner } from '../retention/clean-up.js';
import type { NotificationHub } from '../suspend/notifications.js';
import { WaiterSweep } from './wake-waiters.js';

/** How often ended invocations are swept in each of several shards. A sweep without work takes about 15 commands of Redis. */
const SWEEP_OF_SHARD_MS = 3_000;

/** What a process sweeps in all keyspaces: ended invocations, and waiters that are left to wake. */
export class Sweeps {
  private readonly cleaners = new Map<string, RetentionCleaner>();
  private readonly waiters: WaiterSweep;

  private constructor(
    private readonly queues: Queues,
    hub: NotificationHub,
  ) {
    this.waiters = new WaiterSweep(queues, hub, () => {});
    this.follow();
    queues.events.on('shards', this.follow);
  }

  static readonly start = (queues: Queues, hub: NotificationHub): Sweeps => new Sweeps(queues, hub);

  async stop(): Promise<void> {
    this.queues.events.off('shards', this.follow);
    await Promise.all([this.waiters.close(), ...[...this.cleaners.values()].map((cleaner) => cleaner.stop())]);
  }

  /** A sweep that fails needs no report: Redis is away, and the next sweep continues. */
  private readonly follow = (): void => {
    const { shards } = this.queues;
    this.waiters.follow();
    for (const queues of shards?.all ?? [this.queues]) {
      if (this.cleaners.has(queues.keyspace)) continue;
      const cleaner = new RetentionCleaner(queues, () => {});
      this.cleaners.set(queues.keyspace, cleaner);
      cleaner.start(shards && SWEEP_OF_SHARD_MS);
    }
  };
}
