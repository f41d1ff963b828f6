import type { FeedTopic } from '@errand/contracts';
import { LOG_START } from '@errand/queue';
import { eventText, isWanted, type FeedItem, type SharedPosition } from './feed-item.js';
import { formatPosition } from './feed-position.js';
import type { FeedQuery } from './read-feed-query.js';
import type { FeedReader } from './tenant-feed.js';
import type { EventCursor } from '../stream/event-cursor.js';

/** A listener that has more characters to read than this is too slow, and loses its connection. It may resume. */
const MOST_HELD = 4_000_000;
/** Followed streams wait while the listener has more to read than this. */
const ENOUGH_HELD = 200_000;

/** The most items that wait for the end of a replay. */
const MOST_LIVE = 5_000;

const NOWHERE: SharedPosition = { changes: new Map(), log: LOG_START, at: 0 };

/** The texts of rounds by topics and filter, for listeners that follow nothing. Each is made once for all of them. */
const TEXTS = new WeakMap<readonly FeedItem[], Map<string, string>>();

/** The events of one listener that wait to be sent, as text. */
export class FeedQueue implements FeedReader {
  readonly topics: ReadonlySet<FeedTopic>;
  /** The text outgrew its bound, or a replay failed. The client must connect again. */
  isBroken = false;
  private position: SharedPosition = NOWHERE;
  private readonly followed: Map<string, EventCursor>;
  private held = '';
  /** Items that came before the end of a replay. */
  private live: FeedItem[] | undefined;
  private wake: (() => void) | undefined;
  private readonly waiting = new Set<() => void>();
  /** Listeners with the same key get the same text. */
  private readonly key: string;

  constructor(
    private readonly query: FeedQuery,
    followed: ReadonlyMap<string, EventCursor>,
  ) {
    this.topics = query.topics;
    this.key = JSON.stringify([[...query.topics], query.filter]);
    this.followed = new Map([...followed].filter(([id]) => query.follow.includes(id)));
  }

  /** Sets the position at which the stream begins. */
  begin(position: SharedPosition): void {
    this.position = position;
  }

  /** Ends the stream: the client must connect again. */
  fail(): void {
    this.isBroken = true;
    this.wake?.();
  }

  take(items: readonly FeedItem[]): void {
    if (!this.live) return this.followed.size === 0 ? this.takeShared(items) : items.forEach((item) => this.add(item));
    this.live.push(...items.filter((item) => isWanted(this.query, item)));
    if (this.live.length > MOST_LIVE) this.fail();
  }

  /** Holds the items that come from now on, for `replay` or `reset`. */
  awaitReplay(): void {
    this.live = [];
  }

  /** Adds the items of a replay before those that came meanwhile. Resolves when all are added. @throws the error of the replay */
  async replay(items: AsyncIterable<FeedItem>): Promise<void> {
    for await (const item of items) {
      this.add(item);
      await this.room();
      if (this.isBroken) return;
    }
    this.release();
  }

  /** Adds an item if the listener wants it. The position moves on in any case. */
  add(item: FeedItem): void {
    this.position = item.position;
    if (isWanted(this.query, item)) this.hold(eventText(this.id(), item.event, item.data));
  }

  /** Adds an event of a followed invocation; resolves when there is room for the next one. `data` is JSON. */
  async follow(invocationId: string, cursor: EventCursor, event: string, data: string): Promise<void> {
    this.followed.set(invocationId, cursor);
    const followed = `{"invocationId":"${invocationId}","event":${JSON.stringify(event)},"data":${data}}`;
    this.hold(eventText(this.id(), 'followed', followed));
    await this.room();
  }

  /** Resolves when the listener has read enough for more. */
  private async room(): Promise<void> {
    if (this.held.length > ENOUGH_HELD) await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  reset(reason: string, position: SharedPosition): void {
    this.position = position;
    this.hold(eventText(this.id(), 'reset', JSON.stringify({ reason })));
    this.release();
  }

  cursorOf(id: string): EventCursor | undefined {
    return this.followed.get(id);
  }

  /** The text that waits; '' if nothing has come within `ms`, or after `stop`. */
  async next(ms: number): Promise<string> {
    if (this.held === '') {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    const text = this.held;
    this.held = '';
    for (const resume of this.waiting) resume();
    this.waiting.clear();
    return text;
  }

  /** Ends a wait in `next`, and those of followed streams. */
  stop(): void {
    this.wake?.();
    for (const resume of this.waiting) resume();
  }

  private takeShared(items: readonly FeedItem[]): void {
    const texts = TEXTS.get(items) ?? new Map<string, string>();
    TEXTS.set(items, texts);
    const text =
      texts.get(this.key) ??
      items
        .filter((item) => isWanted(this.query, item))
        .map(textOf)
        .join('');
    texts.set(this.key, text);
    this.position = items.at(-1)?.position ?? this.position;
    if (text !== '') this.hold(text);
  }

  private release(): void {
    const { live = [] } = this;
    this.live = undefined;
    this.take(live);
  }

  private hold(text: string): void {
    if (this.held.length + text.length > MOST_HELD) this.isBroken = true;
    else this.held += text;
    this.wake?.();
  }

  private id(): string {
    return formatPosition({ ...this.position, followed: this.followed });
  }
}

function textOf({ position, event, data }: FeedItem): string {
  return eventText(formatPosition({ ...position, followed: new Map() }), event, data);
}
