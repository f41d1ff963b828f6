import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { keysOf } from '../redis/names.js';
import { DELIVERIES, labelOf, type WorkQueue } from '../redis/queue-names.js';
import type { Queues } from '../redis/connect.js';
import { DEFAULT_LABEL } from '@errand/contracts';

/** The heartbeat of a script-runner. */
const BEAT_MS = 5_000;
/** A process may miss three heartbeats before others treat it as dead. */
const BEATS_OF_LIFE = 4;
const LIFE_MS = BEATS_OF_LIFE * BEAT_MS;
/** A consumer is gone when its process counts as lost, within these bounds. */
const SHORTEST_LIFE_MS = 5_000;
/** A heartbeat may come so much later than the renewal of a lock. */
export const LATE_MS = 1_500;

/** The number of live consumers of a queue. */
export function countConsumers(redis: Redis, queue: WorkQueue): Promise<number> {
  const keys = keysOf(redis);
  return redis.zcount(keys.consumers(queue), Date.now(), '+inf');
}

/** The number of live consumers of a queue, and the sum of their slots. Those of an older version have none. */
export async function readConsumers(
  redis: Redis,
  queue: WorkQueue | typeof DELIVERIES,
): Promise<{ slots: number; consumers: number }> {
  const keys = keysOf(redis);
  const names = await redis.zrangebyscore(keys.consumers(queue), Date.now(), '+inf');
  return { slots: sumOfSlots(names), consumers: names.length };
}

/** @param names of consumers: an id, and the number of slots */
function sumOfSlots(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + Number(name.split(' ')[1] ?? 0), 0);
}

/** A consumer as its heartbeat describes it. */
interface PresentConsumer {
  /** How many jobs it runs at the same time. */
  slots: number;
  lockMs: number;
  takesJobs: () => boolean;
  onError: (error: Error) => void;
}

/** The heartbeat of a consumer, as long as it takes jobs. It lets the API say whether anybody can take a waiting job. */
export class ConsumerPresence {
  private readonly name: string;
  private readonly timer: NodeJS.Timeout;
  private readonly first: Promise<void>;
  private all: number;
  private readonly lifeMs: number;

  constructor(
    private readonly redis: Redis,
    private readonly queue: WorkQueue | typeof DELIVERIES,
    private readonly consumer: PresentConsumer,
  ) {
    this.name = `${randomUUID()} ${consumer.slots}`;
    this.all = consumer.slots;
    this.lifeMs = Math.min(Math.max(consumer.lockMs + LATE_MS, SHORTEST_LIFE_MS), LIFE_MS);
    this.timer = setInterval(() => void this.beat(), this.lifeMs / BEATS_OF_LIFE);
    this.first = this.beat();
  }

  /** Resolves when the first heartbeat is stored or has failed. */
  ready(): Promise<void> {
    return this.first;
  }

  /** The slots of all consumers of the queue, at the last heartbeat. */
  get slots(): number {
    return this.all;
  }

  async stop(): Promise<void> {
    const keys = keysOf(this.redis);
    clearInterval(this.timer);
    if (this.redis.status === 'ready') await this.redis.zrem(keys.consumers(this.queue), this.name);
  }

  private async beat(): Promise<void> {
    const keys = keysOf(this.redis);
    // A late heartbeat is useless, so it must not wait for Redis.
    if (this.redis.status === 'reconnecting' || !this.consumer.takesJobs()) return;
    const now = Date.now();
    const label = this.queue === DELIVERIES ? undefined : labelOf(this.queue);
    const multi = this.redis.multi();
    if (label !== undefined) multi.sadd(keys.labels, label);
    multi
      .zadd(keys.consumers(this.queue), now + this.lifeMs, this.name)
      .zremrangebyscore(keys.consumers(this.queue), '-inf', now)
      .zrange(keys.consumers(this.queue), '0', '-1');
    const names = (await multi.exec().catch(this.consumer.onError))?.at(-1)?.[1];
    if (Array.isArray(names)) this.all = sumOfSlots(names as string[]);
  }
}

/** The heartbeat of a script-runner. It lets others recognize the containers of dead runners. */
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

  /** The random name of this Redis. Only processes that share the Redis can check whether a runner is alive. */
  async installation(): Promise<string> {
    const keys = keysOf(this.queues.redis);
    const name = randomUUID();
    await this.queues.redis.set(keys.installation, name, 'NX');
    return (await this.queues.redis.get(keys.installation)) ?? name;
  }

  /** Whether a runner has sent a heartbeat recently. @throws Error if Redis does not answer: the state is then unknown */
  async isAlive(runnerId: string): Promise<boolean> {
    const keys = keysOf(this.queues.redis);
    return (await this.queues.redis.exists(keys.runner(runnerId))) === 1;
  }

  async stop(): Promise<void> {
    const keys = keysOf(this.queues.redis);
    clearInterval(this.timer);
    if (this.queues.redis.status === 'ready')
      await this.queues.redis.del(keys.runner(this.runnerId)).catch(this.onError);
  }

  /** A late heartbeat is useless, so it must not wait for Redis. */
  private beatAgain(): void {
    if (this.queues.redis.status === 'ready') this.beat().catch(this.onError);
  }

  private async beat(): Promise<void> {
    const keys = keysOf(this.queues.redis);
    await this.queues.redis.set(keys.runner(this.runnerId), new Date().toISOString(), 'PX', LIFE_MS);
  }
}

/** The number of live workers. */
export function countWorkers({ redis }: Queues): Promise<number> {
  return countConsumers(redis, 'invocations');
}

/** The number of live script-runners by label, for `default` and all labels that were ever offered or requested. */
export async function countRunners(queues: Queues): Promise<Record<string, number>> {
  const counts = ['scripts' as const, ...(await queues.labelled())].map(
    async (queue) => [labelOf(queue) ?? DEFAULT_LABEL, await countConsumers(queues.redis, queue)] as const,
  );
  return Object.fromEntries(await Promise.all(counts));
}
