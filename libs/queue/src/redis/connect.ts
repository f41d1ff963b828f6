import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, type QueueOptions } from 'bullmq';
import { Redis } from 'ioredis';
import type { EndedJob } from '../consume/ended-job.js';
import { gatherWrites } from './gather-writes.js';
import { errandBackend } from '../bullmq/errand-backend.js';
import { DELIVERIES, keys, labelOf, PREFIX, scriptQueue, type QueueName, type WorkQueue } from './names.js';
import type { Delivered, DeliveryRecord, InvocationRecord, Outcome } from '../state/record.js';

/** A queue of invocations: whatever ends one of its jobs moves it in the index, in the same step. */
export class InvocationQueue extends Queue<InvocationRecord, Outcome> {
  constructor(name: string, options: QueueOptions) {
    super(name, options, errandBackend({ isIndexed: true }));
    // Each command that fails rejects on its own; without a listener BullMQ prints every try to connect.
    this.on('error', () => {});
  }

  /** Where Redis is away there is nothing left to close. */
  override async close(): Promise<void> {
    await super.close().catch(() => {});
  }
}

/** Redis is expected to answer in this time. */
const ANSWER_MS = 2_000;

/** How long ended invocations can be read: `ageSeconds` at the most, and `count` of each outcome and queue. */
export interface Retention {
  ageSeconds: number;
  count: number;
}

/** What one process shares: a Redis connection for commands (never for blocking ones) and the queues on it. */
export class Queues {
  /** Callbacks that are owed, or will be. */
  readonly deliveries: Queue<DeliveryRecord, Delivered>;
  /** Told in this process: what it has accepted, by its tools, and what it has ended itself. */
  readonly events = new EventEmitter<{ accepted: [tools: string[]]; ended: [EndedJob] }>();
  private readonly byLabel = new Map<string, InvocationQueue>();

  constructor(
    readonly redis: Redis,
    readonly byName: Readonly<Record<QueueName, InvocationQueue>>,
    readonly retention: Retention,
    /** How many invocations may wait in a queue; 0: as many as come. */
    readonly bound: number = 0,
  ) {
    this.deliveries = new Queue(DELIVERIES, { connection: redis, prefix: PREFIX });
    this.deliveries.on('error', () => {});
  }

  /** A queue by its name; that of a label is opened when it is first asked for. */
  of(name: WorkQueue): InvocationQueue {
    const label = labelOf(name);
    if (label === undefined) return this.byName[name as QueueName];
    const queue = this.byLabel.get(label) ?? new InvocationQueue(name, { connection: this.redis, prefix: PREFIX });
    this.byLabel.set(label, queue);
    return queue;
  }

  /** The queues of all labels that were ever offered or asked for, in order. One command. */
  async labelled(): Promise<WorkQueue[]> {
    return (await this.redis.smembers(keys.labels)).toSorted().map((label) => scriptQueue(label));
  }

  /** For readiness. @throws where Redis does not answer in time, also on a connection that is patient itself */
  async ping(): Promise<void> {
    if (this.redis.status !== 'ready') throw new Error('there is no connection');
    const late = sleep(ANSWER_MS, undefined, { ref: false }).then(() => {
      throw new Error(`no answer within ${ANSWER_MS} ms`);
    });
    await Promise.race([this.redis.ping(), late]);
  }

  /** For a process that ends: resolves when the work has, or when Redis is away and it may wait for that. */
  async unlessAway(work: Promise<unknown>): Promise<void> {
    const away = new Promise<void>((resolve) => {
      if (this.redis.status === 'ready') this.redis.once('close', resolve);
      else resolve();
    });
    await Promise.race([work, away]);
  }

  async close(): Promise<void> {
    const queues = [...Object.values(this.byName), ...this.byLabel.values(), this.deliveries];
    await Promise.allSettled(queues.map((queue) => queue.close()));
    this.redis.disconnect();
  }
}

/** A connection for commands: a command that Redis does not answer in 2 s fails, so that callers are told and do not hang. */
export function connectRedis(url: string): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    commandTimeout: ANSWER_MS,
    connectTimeout: ANSWER_MS,
    retryStrategy: (times) => Math.min(50 * 2 ** times, 1_000),
  });
  // Each failed command rejects on its own; without a listener the event would end the process.
  redis.on('error', () => {});
  gatherWrites(redis);
  return redis;
}

/** A connection for a consumer or subscriber, which waits for as long as Redis is away and then goes on. */
export function connectPatiently(url: string): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(50 * 2 ** times, 1_000),
  });
  redis.on('error', () => {});
  gatherWrites(redis);
  return redis;
}

export function connectQueues(url: string, retention: Retention, bound = 0): Queues {
  const redis = connectRedis(url);
  const open = (name: QueueName) => new InvocationQueue(name, { connection: redis, prefix: PREFIX });
  return new Queues(redis, { invocations: open('invocations'), scripts: open('scripts') }, retention, bound);
}
