import { checkWorkflow } from '@errand/engine';
import { Metrics, type ApiSettings, type Logger } from '@errand/platform';
import { aliasOf } from '@errand/protocol';
import { Definitions, QueueModule, Queues } from '@errand/queue';
import { Registry, WatchedRegistry, watchRegistry } from '@errand/registry';
import { Module, type DynamicModule, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { AnnounceDependencies } from './tools/announce-dependencies.js';
import { AnswerInvocation } from './http/to-response.js';
import { InvocationWatcher } from './stream/wait-for-invocation.js';
import { DryRuns } from './tools/dry-runs.js';
import { CONTROLLERS } from './http/controllers.js';
import { PrepareInvocation } from './submit/prepare-invocation.js';
import { RetryInvocation } from './control/retry-invocation.js';
import { SendAccepted } from './http/accepted-response.js';
import { SubmitBatch } from './submit/submit-batch.js';
import { SubmitInvocation } from './submit/submit-invocation.js';
import { CompleteStep } from './control/complete-step.js';

/** The built-in plugin, beside the apps in the sources and in dist/ alike. */
const CORE = join(__dirname, '../../../plugins/core');

/** What the API is made of. */
@Module({})
export class ApiModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly library: WatchedRegistry,
    private readonly announce: AnnounceDependencies,
  ) {}

  onApplicationBootstrap(): void {
    void this.announce.announce();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.library.close();
  }

  static of(settings: ApiSettings, redisUrl: string, logger: Logger, metrics: Metrics): DynamicModule {
    const retention = { ageSeconds: settings.ERRAND_RETENTION_AGE, count: settings.ERRAND_RETENTION_COUNT };
    const reloads = new EventEmitter();
    return {
      module: ApiModule,
      imports: [QueueModule.forRedis(redisUrl, retention, { bound: settings.ERRAND_QUEUE_BOUND })],
      controllers: [...CONTROLLERS],
      providers: [
        { provide: Metrics, useValue: metrics },
        {
          provide: WatchedRegistry,
          useFactory: () =>
            watchRegistry({
              folders: settings.ERRAND_LIBRARY,
              coreDir: CORE,
              checkWorkflow,
              aliasOf,
              onReload: ({ length }) => {
                logger.info({ problems: length }, 'the library has changed');
                reloads.emit('reload');
              },
              onNotice: (message) => logger.warn(message),
            }),
        },
        { provide: Registry, inject: [WatchedRegistry], useFactory: ({ registry }: WatchedRegistry) => registry },
        {
          provide: PrepareInvocation,
          inject: [Registry, Queues, Definitions],
          useFactory: (...parts: [Registry, Queues, Definitions]) =>
            new PrepareInvocation(...parts, settings.ERRAND_CALLBACK_ALLOW),
        },
        {
          provide: AnnounceDependencies,
          inject: [Registry, Queues, Definitions],
          useFactory: (...parts: [Registry, Queues, Definitions]) => {
            const announce = new AnnounceDependencies(...parts, logger);
            reloads.on('reload', () => void announce.announce());
            return announce;
          },
        },
        {
          provide: SubmitInvocation,
          inject: [PrepareInvocation, Queues],
          useFactory: (...parts: [PrepareInvocation, Queues]) => new SubmitInvocation(...parts, logger),
        },
        {
          provide: SubmitBatch,
          inject: [PrepareInvocation, Queues],
          useFactory: (...parts: [PrepareInvocation, Queues]) => new SubmitBatch(...parts, logger),
        },
        {
          provide: RetryInvocation,
          inject: [Registry, Queues, Definitions],
          useFactory: (...parts: [Registry, Queues, Definitions]) => new RetryInvocation(...parts, logger),
        },
        DryRuns,
        CompleteStep,
        InvocationWatcher,
        AnswerInvocation,
        SendAccepted,
      ],
    };
  }
}
