import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { keys, labelOf, type WorkQueue } from '../redis/names.js';
import type { Queues } from '../redis/connect.js';
import { DEFAULT_LABEL } from '@errand/contracts';

const BEAT_MS = 5_000;
/** A process may miss three heartbeats before others treat it as dead. */
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

/** A script-runner's sign of life, so that others know whose containers are orphans. */
export class RunnerPresence {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly queues: Queues,
    readonly runnerId: string,
    private readonly onError: (error: unknown) => void,
  ) {}

  async start(): Promise<void> {
    await this.beat();
    this.timer = setInterval(() => this.beatAgain(), BEAT_MS);
  }

  /** The name of all that share this Redis: nobody else can tell whether a runner of theirs lives. */
  async installation(): Promise<string> {
    await this.queues.redis.set(keys.installation, randomUUID(), 'NX');
    return (await this.queues.redis.get(keys.installation))!;
  }

  /** Whether a runner has lately been seen; the question throws where Redis does not answer: no answer is not death. */
  async isAlive(runnerId: string): Promise<boolean> {
    return (await this.queues.redis.exists(keys.runner(runnerId))) === 1;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    if (this.queues.redis.status === 'ready')
      await this.queues.redis.del(keys.runner(this.runnerId)).catch(this.onError);
  }

  /** Beats are of no use later. */
  private beatAgain(): void {
    if (this.queues.redis.status === 'ready') this.beat().catch(this.onError);
  }

  private async beat(): Promise<void> {
    await this.queues.redis.set(keys.runner(this.runnerId), new Date().toISOString(), 'PX', LIFE_MS);
  }
}

/** How many script-runners are alive that offer a label, by label: of `default`, and of every other that was ever offered or asked for. */
export async function countRunners(queues: Queues): Promise<Record<string, number>> {
  const places = ['scripts' as const, ...(await queues.labelled())];
  const counts = await Promise.all(places.map((queue) => countConsumers(queues.redis, queue)));
  return Object.fromEntries(places.map((queue, n) => [labelOf(queue) ?? DEFAULT_LABEL, counts[n]!]));
}
