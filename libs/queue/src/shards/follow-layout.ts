import type { Queues } from '../redis/connect.js';
import { LAYOUT_CHANGED } from '../redis/notification-names.js';
import type { ConnectionKind } from '../redis/primary-redis.js';
import type { NotificationHub } from '../suspend/notifications.js';
import type { SettingsCopies } from './copy-settings.js';
import { ONE_SHARD } from './shard-layout.js';
import { openShards } from './open-shards.js';
import { readLayout } from './stored-layout.js';

/** The pause after a layout could not be read, in ms. */
const AGAIN_MS = 1_000;
/** The longest pause between two reads, in ms. A process that has missed a notification follows before the new layout begins. */
const READ_MS = 5_000;

/**
 * Follows the layout of the shards in a running process. It reads the layout after each notification of a change, after each loss of the
 * connection that receives notifications, and every 5 s. Then it opens the new shards, copies the settings to them, subscribes to their
 * notifications, and emits `shards`.
 */
export class LayoutFollower {
  private readonly end = new AbortController();

  constructor(
    private readonly url: string,
    private readonly kind: ConnectionKind,
    private readonly queues: Queues,
    private readonly hub: NotificationHub,
    private readonly copies: SettingsCopies,
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
      await changes.next(signal, isRead ? READ_MS : AGAIN_MS);
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
    await this.copies.copy(fresh, layout);
    // The hub may be closed now.
    if (this.end.signal.aborted) return true;
    this.hub.follow((this.queues.shards?.all ?? []).map(({ keyspace }) => keyspace));
    this.queues.events.emit('shards');
    return true;
  }
}
