import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { keys, labelOf, type WorkQueue } from './names.js';

const BEAT_MS = 5_000;
/** Three beats may be missed before others take a consumer for dead. */
const LIFE_MS = 20_000;

/** How many processes take jobs of a queue, as far as they have lately been seen. */
export function countConsumers(redis: Redis, queue: WorkQueue): Promise<number> {
  return redis.zcount(keys.consumers(queue), Date.now(), '+inf');
}

/** A consumer's sign of life, so that others can say that nobody is there to take what waits. */
export class ConsumerPresence {
  private readonly name = randomUUID();
  private readonly timer: NodeJS.Timeout;
  private readonly first: Promise<void>;

  constructor(
    private readonly redis: Redis,
    private readonly queue: WorkQueue,
    private readonly onError: (error: Error) => void,
  ) {
    this.timer = setInterval(() => void this.beat(), BEAT_MS);
    this.first = this.beat();
  }

  /** Resolves when others know of it, or Redis could not be told. */
  ready(): Promise<void> {
    return this.first;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    if (this.redis.status === 'ready') await this.redis.zrem(keys.consumers(this.queue), this.name);
  }

  private async beat(): Promise<void> {
    // Beats are of no use later.
    if (this.redis.status === 'reconnecting') return;
    const now = Date.now();
    const label = labelOf(this.queue);
    const multi = this.redis.multi();
    if (label !== undefined) multi.sadd(keys.labels, label);
    multi
      .zadd(keys.consumers(this.queue), now + LIFE_MS, this.name)
      .zremrangebyscore(keys.consumers(this.queue), '-inf', now);
    await multi.exec().catch(this.onError);
  }
}
