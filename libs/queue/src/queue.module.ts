import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { connectPatiently, connectRedis, InvocationQueue, Queues, type Retention } from './redis/connect.js';
import { Definitions } from './files/definitions.js';
import { RetentionCleaner } from './retention/clean-up.js';
import { PREFIX, QUEUE_NAMES } from './redis/names.js';
import { NotificationHub } from './suspend/notifications.js';

export interface RedisUse {
  /** How many invocations may wait in a queue; 0: as many as come. */
  bound?: number;
  /** Commands wait for as long as Redis is away, for a process that has to go on afterwards. Without it they fail in 2 s. */
  patient?: boolean;
}

/** Redis for a Nest application: `Queues`, `Definitions` and `NotificationHub`, opened at boot, closed with the application. */
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

  static forRedis(url: string, retention: Retention, { bound = 0, patient = false }: RedisUse = {}): DynamicModule {
    const redis = patient ? connectPatiently(url) : connectRedis(url);
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
            new Queues(redis, { invocations, scripts }, retention, bound),
        },
        { provide: Definitions, inject: [Queues], useFactory: (queues: Queues) => new Definitions(queues) },
        { provide: NotificationHub, useFactory: () => NotificationHub.open(url) },
        { provide: RetentionCleaner, inject: [Queues], useFactory: startCleaner },
      ],
      exports: [Queues, Definitions, NotificationHub],
    };
  }
}

/** Where a sweep fails, Redis is away, and the next one goes on. */
function startCleaner(queues: Queues): RetentionCleaner {
  const cleaner = new RetentionCleaner(queues, () => {});
  cleaner.start();
  return cleaner;
}
