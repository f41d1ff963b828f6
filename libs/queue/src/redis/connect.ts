import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, type QueueOptions } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import type { EndedJob } from '../consume/ended-job.js';
import { gatherWrites } from './gather-writes.js';
import { errandBackend } from '../bullmq/errand-backend.js';
import type { PriorityScope } from '../fair/lane.js';
import { DELIVERIES, keys, labelOf, PREFIX, scriptQueue, type QueueName, type WorkQueue } from './names.js';
import type { Delivered, DeliveryRecord, InvocationRecord, Outcome } from '../state/record.js';

/** A queue of invocations. The command that ends one of its jobs also moves its index entry. */
export class InvocationQueue extends Queue<InvocationRecord, Outcome> {
  constructor(name: string, options: QueueOptions) {
    super(name, options, errandBackend({ isIndexed: true }));
    // Each failed command rejects by itself. Without a listener, BullMQ prints every failed connection attempt.
    this.on('error', () => {});
  }

  /** Closing fails while Redis is away. The connection is gone then, too. */
  override async close(): Promise<void> {
    await super.close().catch(() => {});
  }
}

/** A command that takes longer has failed. */
const REPLY_MS = 2_000;

/** How long ended invocations are stored: for `ageSeconds` at most, and at most `count` for each outcome and queue. */
export interface Retention {
  ageSeconds: number;
  count: number;
}

/** How many invocations a queue may hold; 0 means no limit. */
export interface QueueBounds {
  /** Invocations that are ready. Suspended ones and those that wait for a retry do not count. */
  waiting: number;
  /** Invocations that were submitted with a delay and are not due yet. */
  delayed: number;
}

/** No limits, for processes that submit nothing. */
export const NO_BOUNDS: QueueBounds = { waiting: 0, delayed: 0 };

/** How long a session is stored after its last turn, and how many messages each of its conversations keeps. */
export interface SessionBounds {
  ageSeconds: number;
  messages: number;
}

/** The defaults of ERRAND_SESSION_AGE and ERRAND_SESSION_MESSAGES. */
const USUAL_SESSIONS: SessionBounds = { ageSeconds: 30 * 86_400, messages: 10_000 };

/** The Redis connection that a process shares for commands (never for blocking ones), and the queues on it. */
export class Queues {
  /** Pending deliveries, and deliveries of invocations that have not ended. */
  readonly deliveries: Queue<DeliveryRecord, Delivered>;
  /** Events of this process: the tools of each accepted invocation, and each job that the process ended by a cancel. */
  readonly events = new EventEmitter<{ accepted: [tools: string[]]; ended: [EndedJob] }>();
  private readonly byLabel = new Map<string, InvocationQueue>();

  constructor(
    readonly redis: Redis,
    readonly byName: Readonly<Record<QueueName, InvocationQueue>>,
    readonly retention: Retention,
    readonly bounds: QueueBounds = NO_BOUNDS,
    readonly sessions: SessionBounds = USUAL_SESSIONS,
    /** Whether a priority orders the jobs of its tenant, or those of all tenants. */
    readonly priorityScope: PriorityScope = 'tenant',
  ) {
    this.deliveries = new Queue(DELIVERIES, { connection: redis, prefix: PREFIX }, errandBackend({ isIndexed: false }));
    this.deliveries.on('error', () => {});
  }

  /** Returns a queue by name. The first call opens the queue of a label. */
  of(name: WorkQueue): InvocationQueue {
    const label = labelOf(name);
    if (label === undefined) return this.byName[name as QueueName];
    const queue = this.byLabel.get(label) ?? new InvocationQueue(name, { connection: this.redis, prefix: PREFIX });
    this.byLabel.set(label, queue);
    return queue;
  }

  /** The queues of all labels that were ever offered or requested, sorted. One command. */
  async labelled(): Promise<WorkQueue[]> {
    return (await this.redis.smembers(keys.labels)).toSorted().map((label) => scriptQueue(label));
  }

  /** For the readiness check. @throws Error if Redis does not answer within 2 s, also on a connection that waits longer */
  async ping(): Promise<void> {
    if (this.redis.status !== 'ready') throw new Error('Redis is not connected');
    const late = sleep(REPLY_MS, undefined, { ref: false }).then(() => {
      throw new Error(`Redis did not answer within ${REPLY_MS} ms`);
    });
    await Promise.race([this.redis.ping(), late]);
  }

  /** Resolves when the work has ended or Redis is away. A process that ends must not wait for Redis. */
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

/** A connection for commands. A command fails if Redis does not answer within 2 s, so that callers do not hang. */
export function connectRedis(url: string): Redis {
  const options: RedisOptions & { skipVersionCheck: true } = {
    maxRetriesPerRequest: 1,
    commandTimeout: REPLY_MS,
    connectTimeout: REPLY_MS,
    retryStrategy: (times) => Math.min(50 * 2 ** times, 1_000),
    // BullMQ asks Redis for its version once for each queue. If that command exceeded the time limit, as at the start of a busy process,
    // the queue would refuse every later command.
    skipVersionCheck: true,
  };
  const redis = new Redis(url, options);
  // Each failed command rejects by itself. Without a listener, the event would end the process.
  redis.on('error', () => {});
  gatherWrites(redis);
  return redis;
}

/** A connection for a consumer or subscriber. Its commands wait while Redis is away. */
export function connectPatiently(url: string): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(50 * 2 ** times, 1_000),
  });
  redis.on('error', () => {});
  gatherWrites(redis);
  return redis;
}

export function connectQueues(
  url: string,
  retention: Retention,
  bounds?: QueueBounds,
  sessions?: SessionBounds,
  priorityScope?: PriorityScope,
): Queues {
  const redis = connectRedis(url);
  const open = (name: QueueName) => new InvocationQueue(name, { connection: redis, prefix: PREFIX });
  return new Queues(
    redis,
    { invocations: open('invocations'), scripts: open('scripts') },
    retention,
    bounds,
    sessions,
    priorityScope,
  );
}
