import type { Redis } from 'ioredis';
import { connectPatiently } from '../redis/connect.js';
import { ENDED, keys } from '../redis/names.js';

/** `anything`: states, steps, logs. `end`: that it has ended. */
export type About = 'anything' | 'end';

/** Rings when there may be news of one id, or of another thing that is told by a name of its own. A ring before `next` is called is not lost. */
export interface Subscription {
  /** True at the next ring (or at once, if it rang since the last call); false after `ms`, or when `signal` aborts. */
  next(signal: AbortSignal, ms?: number): Promise<boolean>;
  close(): void;
}

/**
 * One process's ears: one subscription to the channel of news, however many wait. Nobody polls: a waiter looks once, then again when
 * its subscription rings. After a lost connection every subscription rings.
 */
export class NotificationHub {
  private readonly subscriptions = new Map<string, Set<Notify>>();
  private readonly connection: Redis;

  private constructor(url: string) {
    this.connection = connectPatiently(url);
    this.connection.on('message', (_channel, told: string) => this.hear(told));
    this.connection.on('ready', () => {
      // Closed meanwhile, there is nothing to hear any more.
      this.subscribe().catch(() => {});
    });
  }

  /** Resolves when nothing that happens from now on will be missed. */
  static async open(url: string): Promise<NotificationHub> {
    const notifications = new NotificationHub(url);
    await notifications.subscribe();
    return notifications;
  }

  /** What was told before Redis has said that this process listens may have been missed. */
  private async subscribe(): Promise<void> {
    await this.connection.subscribe(keys.notifications);
    for (const id of this.subscriptions.keys()) this.ring(id, true);
  }

  private hear(told: string): void {
    const isEnd = told.startsWith(ENDED);
    this.ring(isEnd ? told.slice(ENDED.length) : told, isEnd);
  }

  listen(id: string, about: About = 'anything'): Subscription {
    let isNotified = false;
    let wake: (() => void) | undefined;
    const ring: Notify = (isEnd) => {
      if (about === 'end' && !isEnd) return;
      isNotified = true;
      wake?.();
    };
    const subscriptions = this.subscriptions.get(id) ?? new Set();
    this.subscriptions.set(id, subscriptions.add(ring));
    return {
      next: async (signal, ms) => {
        if (!isNotified && !signal.aborted) await sleep(signal, ms, (woken) => (wake = woken));
        const heard = isNotified;
        isNotified = false;
        return heard;
      },
      close: () => {
        subscriptions.delete(ring);
        if (subscriptions.size === 0) this.subscriptions.delete(id);
      },
    };
  }

  /**
   * Looks, and looks again at every ring, until `look` gives a value. Undefined when `signal` aborts first.
   */
  async until<T>(id: string, signal: AbortSignal, look: () => Promise<T | undefined>): Promise<T | undefined> {
    const subscription = this.listen(id);
    try {
      for (;;) {
        const seen = await look();
        if (seen !== undefined) return seen;
        if (!(await subscription.next(signal))) return undefined;
      }
    } finally {
      subscription.close();
    }
  }

  close(): void {
    this.connection.disconnect();
  }

  private ring(id: string, isEnd: boolean): void {
    for (const ring of this.subscriptions.get(id) ?? []) ring(isEnd);
  }
}

type Notify = (isEnd: boolean) => void;

/** Sleeps until woken, aborted, or `ms` are over; leaves no timer and no listener behind. */
function sleep(signal: AbortSignal, ms: number | undefined, handOut: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    handOut(wake);
    signal.addEventListener('abort', wake);
    if (ms !== undefined) timer = setTimeout(wake, ms);
  });
}
