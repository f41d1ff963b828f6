import { EventEmitter } from 'node:events';
import { Queue, type QueueOptions } from 'bullmq';
import type { EndedJob } from '../consume/ended-job.js';
import { errandBackend } from '../bullmq/errand-backend.js';
import type { PriorityScope } from '../fair/lane.js';
import { keysOf, prefixOf } from './names.js';
import { DELIVERIES, labelOf, scriptQueue, type QueueName, type WorkQueue } from './queue-names.js';
import { openConnection, type PrimaryRedis } from './primary-redis.js';
import type { Belonging, Place, ShardLayout } from '../shards/shard-layout.js';
import { withShard } from '../shards/shard-of-id.js';
import { ReplicaWait } from './replica-wait.js';
import { WriteProbe } from './write-probe.js';
import type { Accepted, Delivered, DeliveryRecord, InvocationRecord, Outcome } from '../state/record.js';

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

/** What a process that submits decides for its invocations, and where its keyspace is. */
export interface SubmissionRules {
  /** Whether a priority orders the jobs of its tenant (the default), or those of all tenants. */
  priorityScope?: PriorityScope | undefined;
  /** The number of replicas that must have an accepted submission before its response. The default is 0. */
  minReplicas?: number | undefined;
  /**
   * Whether plain jobs have their options. The API is upgraded last and needs none. A worker stores them, because an older worker may take its
   * jobs during an upgrade.
   */
  storesPlainOptions?: boolean | undefined;
  /** The shard whose keyspace it is; `root` for the keyspace `{errand}`. */
  place?: Place;
}

/** The defaults of ERRAND_SESSION_AGE and ERRAND_SESSION_MESSAGES. */
const USUAL_SESSIONS: SessionBounds = { ageSeconds: 30 * 86_400, messages: 10_000 };

/** The keyspaces of an installation with several shards. `shards/shard-set.ts` describes the members. */
export interface Shards {
  readonly all: Queues[];
  readonly current: Queues[];
  readonly present: ShardLayout;
  follow(layout: ShardLayout): void;
  ofId(id: string): Queues;
  ofSession(tenant: string, session: string): Promise<Queues>;
  find(tenant: string, text: string, exists: (queues: Queues, keyspace: string) => Promise<number>): Promise<Queues>;
  placesOf(tenant: string, text: string): Queues[];
  newId(belonging: Belonging): Promise<string>;
  next(): Queues;
  checkWrites(report: (error: unknown) => void): Promise<string>;
  close(): Promise<void>;
}

/** The Redis connection that a process shares for commands (never for blocking ones), and the queues on it. */
export class Queues {
  /** Pending deliveries, and deliveries of invocations that have not ended. */
  readonly deliveries: Queue<DeliveryRecord, Delivered>;
  /**
   * Events of this process: each accepted invocation with its tools, each job that the process ended by a cancel, and a new number of shards.
   */
  readonly events = new EventEmitter<{
    accepted: [tools: string[], invocation: Accepted];
    ended: [EndedJob];
    shards: [];
  }>();
  readonly priorityScope: PriorityScope;
  /** Waits until replicas have what this process has written. */
  readonly replicas: ReplicaWait;
  /** The shards of the installation; undefined if it has one. */
  shards: Shards | undefined;
  readonly minReplicas: number;
  readonly storesPlainOptions: boolean;
  private readonly place: Place;
  private readonly byLabel = new Map<string, InvocationQueue>();
  private readonly probe: WriteProbe;

  constructor(
    readonly redis: PrimaryRedis,
    readonly byName: Readonly<Record<QueueName, InvocationQueue>>,
    readonly retention: Retention,
    readonly bounds: QueueBounds = NO_BOUNDS,
    readonly sessions: SessionBounds = USUAL_SESSIONS,
    { priorityScope = 'tenant', minReplicas = 0, storesPlainOptions = false, place = 'root' }: SubmissionRules = {},
  ) {
    this.place = place;
    this.minReplicas = minReplicas;
    this.storesPlainOptions = storesPlainOptions;
    this.priorityScope = priorityScope;
    this.replicas = new ReplicaWait(redis, minReplicas);
    this.probe = new WriteProbe(redis, this.replicas);
    const options = { connection: redis, prefix: prefixOf(redis) };
    this.deliveries = new Queue(DELIVERIES, options, errandBackend({ isIndexed: false }));
    this.deliveries.on('error', () => {});
  }

  /** The queues of the shard that an id carries. */
  shardOf(id: string): Queues {
    return this.shards?.ofId(id) ?? this;
  }

  /** The prefix of all keys of these queues. */
  get keyspace(): string {
    return this.redis.keyspace;
  }

  /** The id with the shard of these queues, if there are several. */
  named(id: string): string {
    return this.place === 'root' ? id : withShard(id, this.place);
  }

  /** Returns a queue by name. The first call opens the queue of a label. */
  of(name: WorkQueue): InvocationQueue {
    const label = labelOf(name);
    if (label === undefined) return this.byName[name as QueueName];
    const options = { connection: this.redis, prefix: prefixOf(this.redis) };
    const queue = this.byLabel.get(label) ?? new InvocationQueue(name, options);
    this.byLabel.set(label, queue);
    return queue;
  }

  /** The queues of all labels that were ever offered or requested, sorted. One command. */
  async labelled(): Promise<WorkQueue[]> {
    const keys = keysOf(this.redis);
    return (await this.redis.smembers(keys.labels)).toSorted().map((label) => scriptQueue(label));
  }

  /** Whether Redis takes writes, for the readiness check: `ok`, or the reason in words without addresses. At most ERRAND_REDIS_REPLY_MS. */
  checkWrites(report: (error: unknown) => void): Promise<string> {
    return this.shards ? this.shards.checkWrites(report) : this.checkOwnWrites(report);
  }

  /** The same for this keyspace alone. */
  checkOwnWrites(report: (error: unknown) => void): Promise<string> {
    return this.probe.check(report);
  }

  /** Resolves when the work has ended or Redis is away. A process that ends must not wait for Redis. */
  async unlessAway(work: Promise<unknown>): Promise<void> {
    let leave = () => {};
    const away = new Promise<void>((resolve) => {
      leave = resolve;
      if (this.redis.status === 'ready') this.redis.once('close', leave);
      else leave();
    });
    await Promise.race([work, away]).finally(() => this.redis.off('close', leave));
  }

  async close(): Promise<void> {
    const queues = [...Object.values(this.byName), ...this.byLabel.values(), this.deliveries];
    await Promise.allSettled(queues.map((queue) => queue.close()));
    this.replicas.close();
    this.redis.disconnect();
  }
}

/**
 * Opens the queues for a process that submits or reads. Commands fail after 2 s. `close` of the result ends the connection.
 * @param keyspace the prefix of all keys, for a shard
 */
export function connectQueues(
  url: string,
  retention: Retention,
  bounds?: QueueBounds,
  sessions?: SessionBounds,
  rules?: SubmissionRules,
  keyspace?: string,
): Queues {
  const redis = openConnection(url, 'commands', keyspace);
  const open = (name: QueueName) => new InvocationQueue(name, { connection: redis, prefix: prefixOf(redis) });
  return new Queues(
    redis,
    { invocations: open('invocations'), scripts: open('scripts') },
    retention,
    bounds,
    sessions,
    rules,
  );
}
