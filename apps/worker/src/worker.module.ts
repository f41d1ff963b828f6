import { checkWorkflow } from '@errand/engine';
import { createGuardedFetch, Metrics, type Logger, type WorkerSettings } from '@errand/platform';
import { aliasOf, escapeForeignText } from '@errand/protocol';
import { OwnProcess, QueueModule, Queues, NotificationHub, RemoteListCache, type ShardLayout } from '@errand/queue';
import { Registry, WatchedRegistry, watchRegistry } from '@errand/registry';
import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { join } from 'node:path';
import { AwaitInvocation } from './steps/await-invocation.js';
import { DeliverCallback } from './deliveries/deliver-callback.js';
import { ownSecret, SECRET_FILE } from './deliveries/own-secret.js';
import { ATTEMPT_MS } from './deliveries/post-message.js';
import { RunAlone } from './steps/run-alone.js';
import { RunStep } from './steps/run-step.js';
import { RunComputation } from './steps/run-computation.js';
import { RunWorkflowStep } from './steps/run-workflow-step.js';
import { DeliveriesProcessor } from './deliveries.processor.js';
import { WorkerConfiguration, WorkerLogger } from './worker-tokens.js';
import { InvocationsProcessor } from './invocations.processor.js';
import { RunInvocation } from './run-invocation.js';
import { RunOnceInSession } from './steps/run-once-in-session.js';
import { DispatchTool } from './steps/dispatch-tool.js';
import { BackgroundCalls } from './turn/background-calls.js';
import { ChildInvocations } from './turn/child-invocations.js';
import { CallAgent } from './turn/call-agent.js';
import { Deliberate } from './turn/deliberate.js';
import { DispatchCalls } from './turn/dispatch-calls.js';
import { RunTurn } from './turn/run-turn.js';
import { TakeTurn } from './turn/take-turn.js';
import { CallRemoteTool } from './steps/call-remote-tool.js';
import { EndRemoteTasks } from './remote/end-remote-tasks.js';
import { ListRemoteServers } from './remote/list-remote-servers.js';
import { remoteProviders } from './remote/remote-providers.js';

/** The built-in plugin. It is next to the apps, both in the sources and in dist/. */
const CORE = join(__dirname, '../../../plugins/core');

const SERVICES = [
  BackgroundCalls,
  ChildInvocations,
  CallAgent,
  Deliberate,
  DispatchCalls,
  TakeTurn,
  RunTurn,
  RunComputation,
  AwaitInvocation,
  RunOnceInSession,
  CallRemoteTool,
  EndRemoteTasks,
  DispatchTool,
  RunAlone,
  RunStep,
  RunInvocation,
  InvocationsProcessor,
  DeliveriesProcessor,
] as const;

/** The providers of a worker. */
@Module({})
export class WorkerModule implements OnApplicationShutdown {
  constructor(
    private readonly library: WatchedRegistry,
    private readonly computation: RunComputation,
    private readonly remoteServers: ListRemoteServers,
    private readonly remoteLists: RemoteListCache,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.remoteLists.close();
    await Promise.all([this.library.close(), this.computation.close(), this.remoteServers.close()]);
  }

  static of(
    settings: WorkerSettings,
    { redisUrl, layout }: { redisUrl: string; layout: ShardLayout },
    logger: Logger,
    metrics: Metrics,
  ): DynamicModule {
    const retention = { ageSeconds: settings.ERRAND_RETENTION_AGE, count: settings.ERRAND_RETENTION_COUNT };
    const sessions = { ageSeconds: settings.ERRAND_SESSION_AGE, messages: settings.ERRAND_SESSION_MESSAGES };
    return {
      module: WorkerModule,
      imports: [
        QueueModule.forRedis(redisUrl, retention, {
          sessions,
          storesPlainOptions: true,
          patient: true,
          bullmqEvents: settings.ERRAND_BULLMQ_EVENTS,
          replyMs: settings.ERRAND_REDIS_REPLY_MS,
          layout,
        }),
      ],
      providers: [
        { provide: WorkerConfiguration, useValue: settings },
        { provide: WorkerLogger, useValue: logger },
        { provide: Metrics, useValue: metrics },
        { provide: OwnProcess, useValue: new OwnProcess('worker') },
        ...SERVICES,
        {
          provide: WatchedRegistry,
          inject: [RemoteListCache, ListRemoteServers],
          useFactory: (lists: RemoteListCache, lister: ListRemoteServers) =>
            watchRegistry({
              folders: settings.ERRAND_LIBRARY,
              coreDir: CORE,
              checkWorkflow,
              aliasOf,
              escapeText: escapeForeignText,
              remoteLists: lists,
              onServers: (servers) => lister.follow(servers),
              onReload: ({ length }) => logger.info({ problems: length }, 'the library has changed'),
              onNotice: (message) => logger.warn(message),
            }),
        },
        ...remoteProviders(settings),
        { provide: Registry, inject: [WatchedRegistry], useFactory: ({ registry }: WatchedRegistry) => registry },
        {
          provide: RunWorkflowStep,
          inject: [Registry, Queues, NotificationHub, RunComputation],
          useFactory: (
            registry: Registry,
            queues: Queues,
            notifications: NotificationHub,
            computation: RunComputation,
          ) =>
            new RunWorkflowStep(registry, queues, notifications, logger, computation, {
              concurrency: settings.ERRAND_NODE_CONCURRENCY,
              fetch: createGuardedFetch({ allow: settings.ERRAND_CALLBACK_ALLOW }),
            }),
        },
        {
          provide: DeliverCallback,
          inject: [Queues, Registry],
          useFactory: async (queues: Queues, registry: Registry) => {
            const { ERRAND_WEBHOOK_SECRET: given, ERRAND_DATA_DIR: dataDir } = settings;
            const secrets = given ?? [await ownSecret(dataDir)];
            if (!given)
              logger.info({ file: join(dataDir, SECRET_FILE) }, 'callbacks are signed with the secret in a file');
            // No limit on the announced length: postMessage reads only the beginning of a long response.
            const guard = { allow: settings.ERRAND_CALLBACK_ALLOW, timeoutMs: ATTEMPT_MS, maxBytes: Infinity };
            return new DeliverCallback(queues, createGuardedFetch(guard), secrets, logger, registry);
          },
        },
      ],
    };
  }
}
