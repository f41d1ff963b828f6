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
import { RetentionCleaner } from './retention/clean-up.js';
import { openConnection } from './redis/primary-redis.js';
import { PREFIX, QUEUE_NAMES } from './redis/names.js';
import { NotificationHub } from './suspend/notifications.js';

interface RedisOptions extends SubmissionRules {
  bounds?: QueueBounds;
  sessions?: SessionBounds;
  /** Whether the process writes BullMQ's events, which Errand does not read. */
  bullmqEvents?: boolean;
  /** Commands wait while Redis is away, for a process that must continue afterwards. Without this option they fail after 2 s. */
  patient?: boolean;
}

/** Redis for a Nest application: opens `Queues`, `Definitions` and `NotificationHub` at boot and closes them with the application. */
@Module({})
export class QueueModule implements OnApplicationShutdown {
  constructor(
    private readonly queues: Queues,
    private readonly notifications: NotificationHub,
    private readonly cleaner: RetentionCleaner,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.cleaner.stop();
    this.notifications.close();
    await this.queues.close();
  }

  static forRedis(
    url: string,
    retention: Retention,
    { bounds, sessions, priorityScope, minReplicas, bullmqEvents = false, patient = false }: RedisOptions = {},
  ): DynamicModule {
    writeBullmqEvents(bullmqEvents);
    const redis = openConnection(url, patient ? 'patient' : 'commands');
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
          useFactory: (invocations: InvocationQueue, scripts: InvocationQueue) =>
            new Queues(redis, { invocations, scripts }, retention, bounds, sessions, { priorityScope, minReplicas }),
        },
        { provide: Definitions, inject: [Queues], useFactory: (queues: Queues) => new Definitions(queues) },
        { provide: NotificationHub, useFactory: () => NotificationHub.open(url) },
        { provide: RetentionCleaner, inject: [Queues], useFactory: startCleaner },
      ],
      exports: [Queues, Definitions, NotificationHub],
    };
  }
}

/** A sweep that fails needs no report: Redis is away, and the next sweep continues. */
function startCleaner(queues: Queues): RetentionCleaner {
  const cleaner = new RetentionCleaner(queues, () => {});
  cleaner.start();
  return cleaner;
}
