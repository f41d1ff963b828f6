import { setTimeout as sleepFor } from 'node:timers/promises';
import { ChannelSubscriber } from '../redis/channels.js';
import { keysIn, PREFIX } from '../redis/names.js';
import { ENDED } from '../redis/notification-names.js';

/** What wakes a subscription: every notification about its id (`anything`), or only the end of the invocation (`end`). */
type Subject = 'anything' | 'end';

/** What a process is notified about: everything, or only what is about no invocation. */
export type Topics = 'all' | 'control';

/** Ends a wait early. An `AbortSignal` is one. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A subscription to the notifications about one id. A notification that comes before `next` is called is not lost. */
export interface Subscription {
  /** The outcome that came with the notification of the end, for `endedInvocation`. */
  readonly outcome: string | undefined;
  /**
   * Resolves with true at the next notification, or at once if one has come since the last call. Resolves with false after `ms`, or when
   * `signal` aborts. A wait of more than a second ends up to 63 ms early.
   */
  next(signal: StopSignal, ms?: number): Promise<boolean>;
  close(): void;
}

/** A subscription to the ends of several invocations. Only ends after `begin` count, so that a state read after it misses none. */
export interface EndsSubscription {
  begin(): void;
  /** Resolves when each of these has ended since `begin`, after `ms`, or when `signal` aborts. */
  untilEnded(ids: readonly string[], signal: StopSignal, ms: number): Promise<void>;
  close(): void;
}

/** How long the start of a process waits for keyspaces that are away, in ms. */
const AWAY_MS = 5_000;

/** Wakes one subscription. The notification of an end may have the outcome. */
type Notify = (isEnd: boolean, outcome?: string) => void;

/**
 * Receives the notifications for one process on one connection for each keyspace. No waiter polls: it reads once, and again after each
 * notification. After a lost connection, every subscription is notified, because it may have missed something.
 */
export class NotificationHub {
  private readonly subscriptions = new Map<string, Set<Notify>>();
  /** Hear every notification. */
  private readonly listeners = new Set<(id: string) => void>();
  private readonly subscribers = new Map<string, ChannelSubscriber>();

  private constructor(
    private readonly url: string,
    private readonly topics: Topics,
  ) {}

  /** Receives the notifications of these keyspaces, too. */
  follow(keyspaces: readonly string[]): void {
    for (const keyspace of keyspaces)
      if (!this.subscribers.has(keyspace)) this.subscribers.set(keyspace, this.subscribe(keyspace));
  }

  private subscribe(keyspace: string): ChannelSubscriber {
    const { notifications, controlNotifications } = keysIn(keyspace);
    return new ChannelSubscriber(
      this.url,
      this.topics === 'control' ? [controlNotifications] : [controlNotifications, notifications],
      {
        message: (message) => this.dispatch(message),
        subscribed: () => this.notifyAll(),
        // `open` reports it.
        error: () => {},
      },
      keyspace,
    );
  }

  /** Resolves when no later notification can be missed. */
  static async open(url: string, keyspaces = [PREFIX], topics: Topics = 'all'): Promise<NotificationHub> {
    const notifications = new NotificationHub(url, topics);
    notifications.follow(keyspaces);
    await notifications.ready();
    return notifications;
  }

  /** Of several keyspaces, those that are away are waited for no longer than this. They are subscribed to when they are back. */
  private async ready(): Promise<void> {
    const all = Promise.all([...this.subscribers.values()].map((subscriber) => subscriber.ready()));
    await (this.subscribers.size === 1 ? all : Promise.race([all, sleepFor(AWAY_MS, undefined, { ref: false })]));
  }

  listen(id: string, subject: Subject = 'anything'): Subscription {
    let isNotified = false;
    let ended: string | undefined;
    let wake: (() => void) | undefined;
    const notify: Notify = (isEnd, outcome) => {
      if (subject === 'end' && !isEnd) return;
      isNotified = true;
      ended ??= outcome;
      wake?.();
    };
    const remove = this.add(id, notify);
    return {
      get outcome() {
        return ended;
      },
      next: async (signal, ms) => {
        if (!isNotified && !signal.aborted) await sleep(signal, ms, (woken) => (wake = woken));
        const wasNotified = isNotified;
        isNotified = false;
        return wasNotified;
      },
      close: remove,
    };
  }

  /** A subscription that takes one entry for each id, and one timer for all of them while it waits. */
  listenToEnds(ids: readonly string[]): EndsSubscription {
    const ended = new Set<string>();
    let awaited = new Set<string>();
    let wake: (() => void) | undefined;
    const removals = [...new Set(ids)].map((id) =>
      this.add(id, (isEnd) => {
        if (isEnd) ended.add(id);
        if (isEnd && awaited.delete(id) && awaited.size === 0) wake?.();
      }),
    );
    return {
      begin: () => ended.clear(),
      untilEnded: async (wanted, signal, ms) => {
        awaited = new Set(wanted.filter((id) => !ended.has(id)));
        if (awaited.size > 0 && !signal.aborted) await sleep(signal, ms, (woken) => (wake = woken));
      },
      close: () => removals.forEach((remove) => remove()),
    };
  }

  /** Calls `listener` with the id of every notification; returns how to stop. After a lost connection some were missed. */
  hearAll(listener: (id: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Returns how to remove the subscription. */
  private add(id: string, notify: Notify): () => void {
    const subscriptions = this.subscriptions.get(id) ?? new Set();
    this.subscriptions.set(id, subscriptions.add(notify));
    return () => {
      subscriptions.delete(notify);
      if (subscriptions.size === 0 && this.subscriptions.get(id) === subscriptions) this.subscriptions.delete(id);
    };
  }

  /** Calls `read` at once and after each notification, until it returns a value. Returns undefined if `signal` aborts first. */
  async until<T>(id: string, signal: AbortSignal, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const subscription = this.listen(id);
    try {
      for (;;) {
        const value = await read();
        if (value !== undefined) return value;
        if (!(await subscription.next(signal))) return undefined;
      }
    } finally {
      subscription.close();
    }
  }

  close(): void {
    for (const subscriber of this.subscribers.values()) subscriber.close();
  }

  /** A message before the confirmation of Redis may have been missed. */
  private notifyAll(): void {
    for (const id of this.subscriptions.keys()) this.notify(id, true);
  }

  /** A message has a line for each notification. */
  private dispatch(message: string): void {
    for (const line of message.split('\n')) this.dispatchLine(line);
  }

  private dispatchLine(message: string): void {
    if (!message.startsWith(ENDED)) return this.tell(message, false);
    const end = message.indexOf(' ', ENDED.length);
    if (end === -1) this.tell(message.slice(ENDED.length), true);
    else this.tell(message.slice(ENDED.length, end), true, message.slice(end + 1));
  }

  private tell(id: string, isEnd: boolean, outcome?: string): void {
    this.notify(id, isEnd, outcome);
    for (const listener of this.listeners) listener(id);
  }

  private notify(id: string, isEnd: boolean, outcome?: string): void {
    for (const notify of this.subscriptions.get(id) ?? []) notify(isEnd, outcome);
  }
}

/** Resolves when woken, when `signal` aborts or after `ms`. Leaves no timer and no listener behind. */
function sleep(signal: StopSignal, ms: number | undefined, setWake: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    setWake(wake);
    signal.addEventListener('abort', wake);
    if (ms !== undefined) timer = setTimeout(wake, roundWait(ms));
  });
}

/** Waits of more than a second differ by whole steps of 64 ms. */
const STEP_MS = 64;

/**
 * A long wait, rounded down. The caller looks at the clock and waits for the rest. Node.js keeps a list of timers for each duration, and a list
 * for nearly every wait costs more than the timer.
 */
function roundWait(ms: number): number {
  return ms > 1_000 ? ms - (ms % STEP_MS) : ms;
}
