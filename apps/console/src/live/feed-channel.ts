import { actingTenant } from '../api/acting-tenant.js';
import type { FeedEvent } from './feed-stream.js';

/** What tabs say to each other. The leader is the tab that reads the stream. */
export type FeedMessage =
  | { kind: 'event'; event: FeedEvent }
  | { kind: 'connection'; isOpen: boolean; since: number }
  /** A tab has come and wants to know the state of the connection. */
  | { kind: 'hello' }
  /** There is a new leader: tabs tell it what they follow. */
  | { kind: 'leader' }
  | { kind: 'follow'; tab: string; ids: readonly string[] };

const NAME = 'errand-feed';

/** The name of the lock and of the channel. Tabs in which the operator acts for another tenant share a stream of their own. */
function feedName(): string {
  const tenant = actingTenant();
  return tenant === undefined ? NAME : `${NAME}:${tenant}`;
}

/** The channel between the tabs of a browser. A message of another version of the page is ignored. */
export class FeedChannel {
  private readonly channel = new BroadcastChannel(feedName());

  constructor(onMessage: (message: FeedMessage) => void) {
    this.channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (isMessage(data)) onMessage(data);
    });
  }

  send(message: FeedMessage): void {
    // A channel has one origin, unlike a window.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.channel.postMessage(message);
  }

  close(): void {
    this.channel.close();
  }
}

const KINDS: readonly unknown[] = ['event', 'connection', 'hello', 'leader', 'follow'];

function isMessage(data: unknown): data is FeedMessage {
  return typeof data === 'object' && data !== null && 'kind' in data && KINDS.includes(data.kind);
}

/**
 * Resolves when this tab is the leader: at once, or when the tab before it has gone. Resolves with undefined if `signal` aborts first.
 *
 * @returns how to stop being the leader
 */
export function becomeLeader(signal: AbortSignal): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    // Locks exist only on https and on this machine. Elsewhere, each tab reads a stream of its own.
    if (!('locks' in navigator)) return resolve(() => undefined);
    navigator.locks
      .request(feedName(), { signal }, () => new Promise<void>((release) => resolve(release)))
      .catch(() => resolve(undefined));
  });
}
