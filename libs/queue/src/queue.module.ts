import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { connectRedis, Queues, type InvocationQueue, type Retention } from './connect.js';
import { Definitions } from './definitions.js';
import { PREFIX, QUEUE_NAMES } from './names.js';
import { Wakeups } from './wakeups.js';

/** Redis for a Nest application: `Queues`, `Definitions` and `Wakeups`, opened at boot, closed with the application. */
@Module({})
export class QueueModule implements OnApplicationShutdown {
  constructor(
    private readonly queues: Queues,
    private readonly wakeups: Wakeups,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.wakeups.close();
    await this.queues.close();
  }

  static forRedis(url: string, retention: Retention): DynamicModule {
    const redis = connectRedis(url);
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
            // Each command that fails rejects on its own; without a listener BullMQ prints every try to connect.
            for (const queue of [invocations, scripts]) queue.on('error', () => {});
            return new Queues(redis, { invocations, scripts }, retention);
          },
        },
        { provide: Definitions, inject: [Queues], useFactory: (queues: Queues) => new Definitions(queues) },
        { provide: Wakeups, inject: [Queues], useFactory: (queues: Queues) => Wakeups.open(url, queues) },
      ],
      exports: [Queues, Definitions, Wakeups],
    };
  }
}
