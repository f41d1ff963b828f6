import { QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { connectPatiently, type Queues } from './connect.js';
import { keys, PREFIX, QUEUE_NAMES, type QueueName } from './names.js';

/** What BullMQ tells of a job, and whether that is its end. */
const STATE_EVENTS = [
  ['active', false],
  ['waiting', false],
  ['delayed', false],
  ['stalled', false],
  ['completed', true],
  ['failed', true],
  ['removed', true],
] as const;

/** `anything`: states, steps, logs. `end`: that it has ended. */
export type About = 'anything' | 'end';

/** Rings when there may be news of one id, or of another thing that is told by a name of its own. A ring before `next` is called is not lost. */
export interface Bell {
  /** True at the next ring (or at once, if it rang since the last call); false after `ms`, or when `signal` aborts. */
  next(signal: AbortSignal, ms?: number): Promise<boolean>;
  close(): void;
}

/**
 * One process's ears: BullMQ's event stream of each queue and one channel for logs and progress, however many wait.
 * Nobody polls: a waiter looks once, then again when its bell rings. After a lost connection every bell rings.
 */
export class Wakeups {
  private readonly bells = new Map<string, Set<Ring>>();
  private readonly closers: (() => void)[] = [];
  private readonly news: Redis;

  private constructor(private readonly url: string) {
    this.news = connectPatiently(url);
    this.news.on('message', (_channel, id) => this.ring(id, false));
    this.news.on('ready', () => this.ringAll());
  }

  /** Resolves when nothing that happens from now on will be missed. */
  static async open(url: string, queues: Queues): Promise<Wakeups> {
    const wakeups = new Wakeups(url);
    await Promise.all([wakeups.news.subscribe(keys.news), ...QUEUE_NAMES.map((name) => wakeups.follow(name, queues))]);
    return wakeups;
  }

  private async follow(name: QueueName, queues: Queues): Promise<void> {
    // From the last known id, not from `$`: what happens between two reads of `$` would be missed.
    const [last] = await queues.redis.xrevrange(keys.set(name, 'events'), '+', '-', 'COUNT', 1);
    const connection = connectPatiently(this.url);
    const events = new QueueEvents(name, { connection, prefix: PREFIX, lastEventId: last?.[0] ?? '0-0' });
    events.on('error', () => {});
    for (const [event, isEnd] of STATE_EVENTS) {
      events.on(event, ({ jobId }: { jobId: string }) => this.ring(jobId, isEnd));
    }
    await events.waitUntilReady();
    this.closers.push(() => {
      // Not waited for: where Redis is away, the connection is between two tries and never says that it has ended.
      events.close().catch(() => {});
      connection.disconnect();
    });
  }

  listen(id: string, about: About = 'anything'): Bell {
    let rung = false;
    let wake: (() => void) | undefined;
    const ring: Ring = (isEnd) => {
      if (about === 'end' && !isEnd) return;
      rung = true;
      wake?.();
    };
    const bells = this.bells.get(id) ?? new Set();
    this.bells.set(id, bells.add(ring));
    return {
      next: async (signal, ms) => {
        if (!rung && !signal.aborted) await sleep(signal, ms, (woken) => (wake = woken));
        const heard = rung;
        rung = false;
        return heard;
      },
      close: () => {
        bells.delete(ring);
        if (bells.size === 0) this.bells.delete(id);
      },
    };
  }

  /**
   * Looks, and looks again at every ring, until `look` gives a value. Undefined when `signal` aborts first.
   */
  async until<T>(id: string, signal: AbortSignal, look: () => Promise<T | undefined>): Promise<T | undefined> {
    const bell = this.listen(id);
    try {
      for (;;) {
        const seen = await look();
        if (seen !== undefined) return seen;
        if (!(await bell.next(signal))) return undefined;
      }
    } finally {
      bell.close();
    }
  }

  close(): void {
    this.news.disconnect();
    for (const close of this.closers) close();
  }

  private ring(id: string, isEnd: boolean): void {
    for (const ring of this.bells.get(id) ?? []) ring(isEnd);
  }

  private ringAll(): void {
    for (const id of this.bells.keys()) this.ring(id, true);
  }
}

type Ring = (isEnd: boolean) => void;

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
