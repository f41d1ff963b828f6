import type { Queues } from '../redis/connect.js';
import type { ConnectionKind } from '../redis/primary-redis.js';
import type { NotificationHub } from '../suspend/notifications.js';
import { ONE_SHARD } from './shard-layout.js';
import { openShards } from './open-shards.js';
import { copyPauses } from './pause-everywhere.js';
import { LAYOUT_CHANGED, readLayout } from './stored-layout.js';

/** The pause after a layout could not be read. */
const AGAIN_MS = 1_000;

/**
 * Follows the layout of the shards in a running process. It reads the layout after each notification of a change, and after each loss of the
 * connection that receives notifications. Then it opens the new shards, subscribes to their notifications, and emits `shards`.
 */
export class LayoutFollower {
  private readonly end = new AbortController();

  constructor(
    private readonly url: string,
    private readonly kind: ConnectionKind,
    private readonly queues: Queues,
    private readonly hub: NotificationHub,
  ) {
    void this.run();
  }

  close(): void {
    this.end.abort();
  }

  private async run(): Promise<void> {
    const { signal } = this.end;
    const changes = this.hub.listen(LAYOUT_CHANGED);
    while (!signal.aborted) {
      const isRead = await this.follow().catch(() => false);
      await changes.next(signal, isRead ? undefined : AGAIN_MS);
    }
    changes.close();
  }

  /** Returns true once the layout is known. */
  private async follow(): Promise<true> {
    const layout = await readLayout(this.queues.redis);
    const { shards } = this.queues;
    const known = new Set(shards?.all ?? [this.queues]);
    const isKnown = JSON.stringify(layout) === JSON.stringify(shards?.present ?? ONE_SHARD);
    if (this.end.signal.aborted || isKnown) return true;
    if (shards) shards.follow(layout);
    else openShards(this.url, this.kind, this.queues, layout);
    const fresh = (this.queues.shards?.all ?? []).filter((shard) => !known.has(shard));
    // A shard that is away does not hold up the others: another process pauses it, or the operator does.
    await copyPauses(this.queues, fresh).catch(() => {});
    this.hub.follow((this.queues.shards?.all ?? []).map(({ keyspace }) => keyspace));
    this.queues.events.emit('shards');
    return true;
  }
}
