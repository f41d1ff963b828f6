import { notifyProcesses } from '../redis/channels.js';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { FEED_OF, feedOf } from '../redis/notification-names.js';
import type { NotificationHub } from '../suspend/notifications.js';

/** An event of the log. `data` is JSON. Ids grow. */
export interface LoggedFeedEvent {
  id: string;
  event: string;
  data: string;
}

/** How long events are kept, and published, after the last listener has gone. */
export const FEED_KEPT_MS = 5 * 60_000;
/** The most events of a tenant that are kept. */
export const FEED_KEPT = 10_000;
/** How often a process with listeners announces them. */
export const ANNOUNCE_MS = 10_000;
const MOST_TENANTS = 10_000;
/** Before the first event of every log. */
export const LOG_START = '0-0';

/**
 * The events of the feed that follow from no change of an invocation, such as refusals. They are stored only while some API process has
 * listeners of the tenant, and `FEED_KEPT_MS` afterwards. A process learns of listeners from their announcements, so that without listeners
 * nothing is sent to Redis.
 */
export class FeedLog {
  /** When the last announcement of a tenant stops to count (ms). */
  private readonly openUntil = new Map<string, number>();
  private readonly stopHearing: () => void;

  constructor(
    private readonly queues: Queues,
    hub: NotificationHub,
  ) {
    this.stopHearing = hub.hearAll((message) => {
      if (message.startsWith(FEED_OF)) this.noteListeners(message.slice(FEED_OF.length));
    });
  }

  /** Publishes an event to all listeners of a tenant. Costs Redis nothing while nobody listens. @throws any error of Redis */
  async publishFeed(tenant: string, event: string, data: object): Promise<void> {
    if ((this.openUntil.get(tenant) ?? 0) < Date.now()) return;
    const key = this.keyOf(tenant);
    const entry = ['e', event, 'd', JSON.stringify(data)];
    await this.redis
      .multi()
      .xadd(key, 'MAXLEN', '~', FEED_KEPT, '*', ...entry)
      .pexpire(key, FEED_KEPT_MS)
      .exec();
  }

  /** Tells all processes that this one has listeners of a tenant. Call it each `ANNOUNCE_MS`. @throws any error of Redis */
  async announce(tenant: string): Promise<void> {
    this.noteListeners(tenant);
    await notifyProcesses(this.redis, feedOf(tenant));
    await this.redis.pexpire(this.keyOf(tenant), FEED_KEPT_MS);
  }

  /** The events behind an id, oldest first. One command. @throws any error of Redis */
  async read(tenant: string, after: string, most: number): Promise<LoggedFeedEvent[]> {
    const entries = await this.redis.xrange(this.keyOf(tenant), `(${after}`, '+', 'COUNT', most);
    return entries.map(([id, [, event = '', , data = 'null']]) => ({ id, event, data }));
  }

  /** The id of the newest event. One command. @throws any error of Redis */
  async newest(tenant: string): Promise<string> {
    const [newest] = await this.redis.xrevrange(this.keyOf(tenant), '+', '-', 'COUNT', 1);
    return newest?.[0] ?? LOG_START;
  }

  close(): void {
    this.stopHearing();
  }

  private noteListeners(tenant: string): void {
    this.openUntil.delete(tenant);
    this.openUntil.set(tenant, Date.now() + FEED_KEPT_MS + ANNOUNCE_MS);
    const [oldest] = this.openUntil.keys();
    if (this.openUntil.size > MOST_TENANTS && oldest !== undefined) this.openUntil.delete(oldest);
  }

  private keyOf(tenant: string): string {
    return keysOf(this.redis).feed(tenant);
  }

  private get redis() {
    return this.queues.redis;
  }
}
