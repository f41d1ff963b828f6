import { FEED_TOPICS, isInvocationId, type FeedData, type FeedEventName, type FeedTopic } from '@errand/contracts';
import {
  ANNOUNCE_MS,
  idsOfTenant,
  listInvocations,
  LOG_START,
  newestChange,
  readListed,
  type FeedLog,
  type ListedInvocation,
  type NotificationHub,
  type Queues,
} from '@errand/queue';
import { readRow } from '../http/read-list-page.js';
import type { RequestScope } from '../http/request-scope.js';
import { ChangedIds } from './changed-ids.js';
import type { FeedItem, SharedPosition } from './feed-item.js';
import type { FeedSource } from './feed-source.js';
import { InboxChanges } from './inbox-changes.js';

/** The time between two rounds: an invocation is sent at most 4 times a second. */
const ROUND_MS = 260;
/** The most rows of a round, so that at most 200 are sent in a second. */
const ROWS_A_ROUND = 50;
/** The rows of a round that leaves changes out: listeners must read again anyway, and the process is busy with what changes. */
const ROWS_WHEN_THINNED = 12;
/** The most ids with progress that are looked at in a round. */
const MOST_NOTIFIED = 500;
/** The most events of other topics in a round. */
const MOST_TOLD = 200;
const MOST_WAITS = 500;

/** The listener of a feed. */
export interface FeedReader {
  readonly topics: ReadonlySet<FeedTopic>;
  /** Takes the items of a round. */
  take(items: readonly FeedItem[]): void;
}

/** What a feed is made from. */
export interface FeedParts {
  queues: Queues;
  notifications: NotificationHub;
  log: FeedLog;
  sources: readonly FeedSource[];
}

/**
 * The feed of one tenant in this process, while it has listeners. It writes nothing about invocations: it reads the order of changes, which
 * each change of a status moves its invocation in, and hears notifications of progress. The position of a client is a place in this order,
 * so that every process of the API can resume it.
 */
export class TenantFeed {
  private readonly readers = new Set<FeedReader>();
  private readonly changed = new ChangedIds();
  private readonly inbox = new InboxChanges();
  private readonly notified = new Set<string>();
  private told: Omit<FeedItem, 'position'>[] = [];
  private readonly stops = new Map<FeedTopic, () => void>();
  private logPosition = LOG_START;
  private lastAnnouncement = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly begun: Promise<void>;

  constructor(
    private readonly scope: RequestScope,
    private readonly parts: FeedParts,
  ) {
    this.begun = this.begin();
    this.begun.catch(() => {});
  }

  /** Adds a listener, which gets everything behind the returned position. @throws any error of Redis */
  async add(reader: FeedReader): Promise<SharedPosition> {
    await this.begun;
    this.readers.add(reader);
    this.adjustSources();
    this.timer ??= setTimeout(() => void this.run(), ROUND_MS);
    return this.position();
  }

  /** Removes a listener. Returns whether it was the last one: the feed has then stopped. */
  remove(reader: FeedReader): boolean {
    this.readers.delete(reader);
    this.adjustSources();
    if (this.readers.size > 0) return false;
    clearTimeout(this.timer);
    this.timer = undefined;
    return true;
  }

  private get shards(): readonly Queues[] {
    const { queues } = this.parts;
    return queues.shards?.all ?? [queues];
  }

  private async begin(): Promise<void> {
    const { queues } = this.parts;
    const { tenant } = this.scope;
    const waits = { statuses: ['waiting_external'] } as const;
    const [, , open] = await Promise.all([
      Promise.allSettled(this.shards.map((shard) => this.beginShard(shard))),
      this.announceFirst().then((newest) => (this.logPosition = newest)),
      listInvocations(queues, tenant, waits, { limit: MOST_WAITS }),
    ]);
    for (const item of open.items) this.inbox.note(item);
  }

  /** Announces the listeners before the first of them is answered, so that it misses no refusal. @returns the newest id of the log */
  private async announceFirst(): Promise<string> {
    const { tenant } = this.scope;
    await this.parts.log.announce(tenant);
    this.lastAnnouncement = Date.now();
    return this.parts.log.newest(tenant);
  }

  private async beginShard(shard: Queues): Promise<void> {
    this.changed.begin(shard.keyspace, await newestChange(shard, this.scope.tenant));
  }

  private async run(): Promise<void> {
    const items = await this.round().catch(() => []);
    if (items.length > 0) for (const reader of this.readers) reader.take(items);
    if (this.readers.size > 0) this.timer = setTimeout(() => void this.run(), ROUND_MS);
  }

  /** Reads what is new, and makes the items of it. While Redis is away, there is nothing new. */
  private async round(): Promise<FeedItem[]> {
    const wants = (topic: FeedTopic) => this.stops.has(topic);
    const [logged] = await Promise.all([
      wants('refusals') ? this.readLog().catch(() => []) : [],
      wants('invocations') || wants('inbox') ? this.readChanges() : undefined,
    ]);
    const skipped = this.changed.takeSkipped();
    const rows = await this.rows(skipped > 0 ? ROWS_WHEN_THINNED : ROWS_A_ROUND);
    const position = this.position();
    const others = [...logged, ...this.told.splice(0).map((item) => ({ ...item, position }))];
    const dropped = skipped > 0 ? [toItem('invocations', 'dropped', { count: skipped }, position)] : [];
    return [...rows, ...others, ...dropped];
  }

  private async readLog(): Promise<FeedItem[]> {
    const { tenant } = this.scope;
    const { log } = this.parts;
    const now = Date.now();
    if (now - this.lastAnnouncement >= ANNOUNCE_MS) {
      await log.announce(tenant);
      this.lastAnnouncement = now;
    }
    const entries = await log.read(tenant, this.logPosition, MOST_TOLD);
    const before = this.position();
    this.logPosition = entries.at(-1)?.id ?? this.logPosition;
    return entries.map(({ id, event, data }) => ({
      topic: 'refusals',
      event: event as FeedEventName,
      data,
      position: { ...before, log: id },
    }));
  }

  private async readChanges(): Promise<void> {
    const { tenant } = this.scope;
    const { queues } = this.parts;
    await Promise.allSettled(
      this.shards.map((shard) =>
        this.changed.has(shard.keyspace) ? this.changed.readFrom(shard, tenant) : this.beginShard(shard),
      ),
    );
    const notified = [...this.notified];
    this.notified.clear();
    if (notified.length === 0) return;
    const own = await idsOfTenant(queues, tenant, notified).catch(() => []);
    for (const id of own) this.changed.addProgress(queues.shardOf(id).keyspace, id);
  }

  private async rows(most: number): Promise<FeedItem[]> {
    const taken = this.changed.take(most);
    if (taken.length === 0) return [];
    const { log, at } = this.position();
    const { queues } = this.parts;
    const found = await readListed(
      queues,
      this.scope.tenant,
      taken.map(({ id }) => id),
    );
    const items = await Promise.all(
      taken.map(async ({ id, changes }) => {
        const invocation = found.get(id);
        return invocation ? this.itemsOf(invocation, { changes, log, at }) : [];
      }),
    );
    return items.flat();
  }

  private async itemsOf(invocation: ListedInvocation, position: SharedPosition): Promise<FeedItem[]> {
    const row = await readRow(this.parts.queues, invocation);
    return [
      { ...toItem('invocations', 'invocation', row, position), invocation },
      ...this.inbox.of(invocation).map((change) => ({ ...toItem('inbox', 'inbox', change, position), invocation })),
    ];
  }

  /** The position behind everything that was sent. */
  position(): SharedPosition {
    return { changes: this.changed.position(), log: this.logPosition, at: Date.now() };
  }

  /** Works for those topics only that somebody wants. */
  private adjustSources(): void {
    for (const topic of FEED_TOPICS) {
      const isWanted = [...this.readers].some(({ topics }) => topics.has(topic));
      if (isWanted && !this.stops.has(topic)) this.stops.set(topic, this.subscribe(topic));
      if (isWanted) continue;
      this.stops.get(topic)?.();
      this.stops.delete(topic);
    }
  }

  private subscribe(topic: FeedTopic): () => void {
    if (topic === 'invocations')
      return this.parts.notifications.hearAll((id) => {
        if (this.notified.size < MOST_NOTIFIED && isInvocationId(id)) this.notified.add(id);
      });
    const stops = this.parts.sources
      .filter((source) => source.topic === topic)
      .map((source) => source.subscribe(this.scope, (event, data) => this.tell({ topic, ...textOf(event, data) })));
    return () => stops.forEach((stop) => stop());
  }

  private tell(item: Omit<FeedItem, 'position'>): void {
    if (this.told.length < MOST_TOLD) this.told.push(item);
  }
}

function textOf<Name extends FeedEventName>(event: Name, data: FeedData[Name]): { event: Name; data: string } {
  return { event, data: JSON.stringify(data) };
}

function toItem<Name extends FeedEventName>(
  topic: FeedTopic,
  event: Name,
  data: FeedData[Name],
  position: SharedPosition,
): FeedItem {
  return { topic, ...textOf(event, data), position };
}
