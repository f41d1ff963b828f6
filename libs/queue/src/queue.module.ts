import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import {
  InvocationQueue,
  Queues,
  type QueueBounds,
  type Retention,
  type SessionBounds,
  type SubmissionRules,
} from './redis/connect.js';
import { writeBullmqEvents } from './bullmq/bull-events.js';
import { Definitions } from './files/definitions.js';
import { openConnection } from './redis/primary-redis.js';
import { PREFIX } from './redis/names.js';
import { QUEUE_NAMES } from './redis/queue-names.js';
import { SettingsCopies } from './shards/copy-settings.js';
import { LayoutFollower } from './shards/follow-layout.js';
import { openShards } from './shards/open-shards.js';
import { ONE_SHARD, type ShardLayout } from './shards/shard-layout.js';
import { Sweeps } from './shards/sweeps.js';
import { NotificationHub, type Topics } from './suspend/notifications.js';

interface RedisOptions extends SubmissionRules {
  bounds?: QueueBounds;
  sessions?: SessionBounds;
  /** Whether the process writes BullMQ's events, which Errand does not read. */
  bullmqEvents?: boolean;
  /** Commands wait while Redis is away, for a process that must continue afterwards. Without this option they fail after `replyMs`. */
  patient?: boolean;
  /** What the process is notified about. The default is everything. */
  topics?: Topics;
  /** ERRAND_REDIS_REPLY_MS */
  replyMs?: number;
  /** The shards of the installation. The default is one. */
  layout?: ShardLayout;
}

/** Redis for a Nest application: opens `Queues`, `Definitions` and `NotificationHub` at boot and closes them with the application. */
@Module({})
export class QueueModule implements OnApplicationShutdown {
  constructor(
    private readonly queues: Queues,
    private readonly notifications: NotificationHub,
    private readonly sweeps: Sweeps,
    private readonly follower: LayoutFollower,
    private readonly copies: SettingsCopies,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.follower.close();
    this.copies.close();
    await this.sweeps.stop();
    this.notifications.close();
    await this.queues.shards?.close();
    await this.queues.close();
  }

  static forRedis(
    url: string,
    retention: Retention,
    {
      bounds,
      sessions,
      priorityScope,
      minReplicas,
      storesPlainOptions,
      bullmqEvents = false,
      patient = false,
      topics,
      replyMs,
      layout = ONE_SHARD,
    }: RedisOptions = {},
  ): DynamicModule {
    writeBullmqEvents(bullmqEvents);
    const kind = patient ? 'patient' : 'commands';
    const redis = openConnection(url, kind, PREFIX, replyMs);
    BullModule.queueClass = InvocationQueue;
    return {
      module: QueueModule,
      global: true,
      imports: [
        BullModule.forRoot({ connection: redis, prefix: PREFIX }),
        BullModule.registerQueue(...QUEUE_NAMES.map((name) => ({ name }))),
      ],
      providers: [
        {
          provide: Queues,
          inject: QUEUE_NAMES.map((name) => getQueueToken(name)),
          useFactory: (invocations: InvocationQueue, scripts: InvocationQueue) => {
            const rules = { priorityScope, minReplicas, storesPlainOptions };
            const queues = new Queues(redis, { invocations, scripts }, retention, bounds, sessions, rules);
            openShards(url, kind, queues, layout);
            return queues;
          },
        },
        { provide: Definitions, inject: [Queues], useFactory: (queues: Queues) => new Definitions(queues) },
        {
          provide: NotificationHub,
          inject: [Queues],
          useFactory: (queues: Queues) =>
            NotificationHub.open(
              url,
              (queues.shards?.all ?? [queues]).map(({ keyspace }) => keyspace),
              topics,
            ),
        },
        {
          provide: LayoutFollower,
          inject: [Queues, NotificationHub, SettingsCopies],
          useFactory: (queues: Queues, hub: NotificationHub, copies: SettingsCopies) =>
            new LayoutFollower(url, kind, queues, hub, copies),
        },
        { provide: SettingsCopies, inject: [Queues], useFactory: (queues: Queues) => SettingsCopies.start(queues) },
        { provide: Sweeps, inject: [Queues, NotificationHub], useFactory: Sweeps.start },
      ],
      exports: [Queues, Definitions, NotificationHub],
    };
  }
}
