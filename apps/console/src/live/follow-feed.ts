import type { InvocationRow } from '@errand/contracts';
import { hasScope } from '../api/session.js';
import { becomeLeader, FeedChannel, type FeedMessage } from './feed-channel.js';
import { FeedStream, type FeedEvent } from './feed-stream.js';
import { FollowedByTabs } from './followed-by-tabs.js';
import { forgetConnection, setConnection, setPaused } from './live-state.js';

export type { FeedEvent } from './feed-stream.js';

/** The connection has come back after an outage that the page has shown. What changed meanwhile may be unknown. */
export const RETURNED = 'returned';

/** Everything may have changed. The API sends it, too, for a position that it does not know any more. */
const RESET: FeedEvent = { event: 'reset', data: {}, id: '' };

type Listener = (event: FeedEvent) => void;

const listeners = new Set<Listener>();
const followers = new Map<string, number>();
/** `crypto.randomUUID` exists only on https and on this machine. */
const TAB = [...crypto.getRandomValues(new Uint32Array(4))].join('-');
/** How often a tab says again what it follows. */
const REPEAT_MS = 30_000;

/** The part of this tab in the one stream of the browser: it reads the stream, or hears the tab that does. */
class LiveFeed {
  private readonly channel = new FeedChannel((message) => this.hear(message));
  private readonly ended = new AbortController();
  private readonly byTabs = new FollowedByTabs();
  private readonly repeat = setInterval(() => this.tellFollowed(), REPEAT_MS);
  private stream: FeedStream | undefined;
  private lastId = '';
  private connection: { isOpen: boolean; since: number } | undefined;

  constructor() {
    setConnection(false, Date.now());
    this.channel.send({ kind: 'hello' });
    void this.lead();
  }

  /** Tells the leader what this tab follows. */
  tellFollowed(): void {
    const message = { kind: 'follow', tab: TAB, ids: [...followers.keys()] } as const;
    this.channel.send(message);
    this.hear(message);
  }

  close(): void {
    clearInterval(this.repeat);
    this.ended.abort();
    this.stream?.close();
    this.channel.send({ kind: 'follow', tab: TAB, ids: [] });
    this.channel.close();
    forgetConnection();
  }

  private async lead(): Promise<void> {
    const release = await becomeLeader(this.ended.signal);
    if (!release) return;
    this.ended.signal.addEventListener('abort', release);
    if (this.ended.signal.aborted) return release();
    this.stream = new FeedStream(this.lastId, {
      onEvent: (event) => this.tellEverywhere(event),
      onConnection: (isOpen) => this.noteConnection(isOpen),
    });
    this.channel.send({ kind: 'leader' });
    this.tellFollowed();
  }

  private noteConnection(isOpen: boolean): void {
    const before = this.connection;
    const since = before && before.isOpen === isOpen ? before.since : Date.now();
    const isResumed = isOpen && before?.isOpen === false;
    this.connection = { isOpen, since };
    this.channel.send({ kind: 'connection', isOpen, since });
    this.showConnection(isOpen, since);
    // Without a position, the stream begins anew: what changed meanwhile is unknown.
    if (isResumed && this.lastId === '') this.tellEverywhere(RESET);
  }

  private tellEverywhere(event: FeedEvent): void {
    this.channel.send({ kind: 'event', event });
    this.accept(event);
  }

  private hear(message: FeedMessage): void {
    if (message.kind === 'event') this.accept(message.event);
    if (message.kind === 'connection') this.showConnection(message.isOpen, message.since);
    if (message.kind === 'hello' && this.stream && this.connection)
      this.channel.send({ kind: 'connection', ...this.connection });
    if (message.kind === 'leader') this.tellFollowed();
    if (message.kind === 'follow') {
      const now = Date.now();
      this.byTabs.set(message.tab, message.ids, now);
      this.stream?.setFollowed(this.byTabs.ids(now));
    }
  }

  private accept(event: FeedEvent): void {
    this.lastId = event.id;
    tellAll(event);
  }

  private showConnection(isOpen: boolean, since: number): void {
    if (setConnection(isOpen, since))
      tellAll(this.lastId === '' ? RESET : { event: RETURNED, data: {}, id: this.lastId });
  }
}

let feed: LiveFeed | undefined;

/** Takes part in the stream of the browser. @returns how to stop */
export function startFeed(): () => void {
  if (!hasScope('read')) {
    setPaused();
    return () => undefined;
  }
  const started = new LiveFeed();
  feed = started;
  return () => {
    started.close();
    if (feed === started) feed = undefined;
  };
}

/** Calls `listener` for every event of the feed, and for RETURNED. @returns how to stop */
export function listenToFeed(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Calls `listener` with the row of each invocation that has changed. @returns how to stop */
export function listenToRows(listener: (row: InvocationRow) => void): () => void {
  return listenToFeed(({ event, data }) => {
    if (event === 'invocation') listener(data as InvocationRow);
  });
}

/** Calls `listener` for each event of one invocation, as its own stream has it. @returns how to stop */
export function followInvocation(id: string, listener: (event: string, data: unknown) => void): () => void {
  followers.set(id, (followers.get(id) ?? 0) + 1);
  feed?.tellFollowed();
  const stop = listenToFeed(({ event, data }) => {
    if (event !== 'followed') return;
    const followed = data as { invocationId: string; event: string; data: unknown };
    if (followed.invocationId === id) listener(followed.event, followed.data);
  });
  return () => {
    stop();
    const left = (followers.get(id) ?? 1) - 1;
    if (left > 0) followers.set(id, left);
    else followers.delete(id);
    feed?.tellFollowed();
  };
}

function tellAll(event: FeedEvent): void {
  for (const listener of listeners) listener(event);
}
