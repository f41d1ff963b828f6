import { Metrics, type ApiSettings, type Logger } from '@errand/platform';
import { QueueModule, RemoteListCache, type ShardLayout } from '@errand/queue';
import { WatchedRegistry } from '@errand/registry';
import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { A2A_PROVIDERS } from './a2a/a2a-providers.js';
import { AnswerTurn } from './agui/answer-turn.js';
import { BeginTurn } from './agui/begin-turn.js';
import { ShowRun } from './agui/show-run.js';
import { BULK_PROVIDERS } from './bulk/bulk-providers.js';
import { AnswerChecks } from './control/answer-checks.js';
import { CompleteStep } from './control/complete-step.js';
import { RetryInvocation } from './control/retry-invocation.js';
import { FEED_PROVIDERS } from './feed/feed-providers.js';
import { AcceptedResponder } from './http/accepted-response.js';
import { BatchResponder } from './http/batch-response.js';
import { CONTROLLERS } from './http/controllers.js';
import { ApiConfiguration, ApiLogger } from './api-tokens.js';
import { LOGIN_PROVIDERS } from './login/login-providers.js';
import { MCP_SERVICES } from './mcp/mcp-services.js';
import { RefusalLog } from './refusals/refusal-log.js';
import { KeepText } from './source/keep-text.js';
import { ReadSourceText } from './source/read-source-text.js';
import { SecretMask } from './source/secret-mask.js';
import { InvocationWatcher } from './stream/wait-for-invocation.js';
import { DrySubmission } from './submit/dry-submission.js';
import { PrepareInvocation } from './submit/prepare-invocation.js';
import { SubmitBatch } from './submit/submit-batch.js';
import { SubmitInvocation } from './submit/submit-invocation.js';
import { CountRefusals } from './stats/count-refused-requests.js';
import { AnnounceDependencies } from './tools/announce-dependencies.js';
import { DryRuns } from './tools/dry-runs.js';
import { LIBRARY_PROVIDERS } from './tools/library-providers.js';

const SERVICES = [
  SecretMask,
  KeepText,
  ReadSourceText,
  RefusalLog,
  DrySubmission,
  PrepareInvocation,
  SubmitInvocation,
  SubmitBatch,
  CountRefusals,
  RetryInvocation,
  CompleteStep,
  AnswerChecks,
  InvocationWatcher,
  BeginTurn,
  AnswerTurn,
  ShowRun,
  AcceptedResponder,
  BatchResponder,
  DryRuns,
  AnnounceDependencies,
] as const;

/** The parts of the API process. */
@Module({})
export class ApiModule implements OnApplicationShutdown {
  constructor(
    private readonly library: WatchedRegistry,
    private readonly remoteLists: RemoteListCache,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.remoteLists.close();
    await this.library.close();
  }

  static of(
    settings: ApiSettings,
    { redisUrl, layout }: { redisUrl: string; layout: ShardLayout },
    logger: Logger,
    metrics: Metrics,
  ): DynamicModule {
    const retention = { ageSeconds: settings.ERRAND_RETENTION_AGE, count: settings.ERRAND_RETENTION_COUNT };
    const sessions = { ageSeconds: settings.ERRAND_SESSION_AGE, messages: settings.ERRAND_SESSION_MESSAGES };
    const minReplicas = settings.ERRAND_REDIS_MIN_REPLICAS;
    const bounds = { waiting: settings.ERRAND_QUEUE_BOUND, delayed: settings.ERRAND_DELAYED_BOUND };
    const priorityScope = settings.ERRAND_FAIR_PRIORITY;
    const bullmqEvents = settings.ERRAND_BULLMQ_EVENTS;
    return {
      module: ApiModule,
      imports: [
        QueueModule.forRedis(redisUrl, retention, {
          bounds,
          sessions,
          priorityScope,
          minReplicas,
          bullmqEvents,
          replyMs: settings.ERRAND_REDIS_REPLY_MS,
          layout,
        }),
      ],
      controllers: [...CONTROLLERS],
      providers: [
        { provide: ApiConfiguration, useValue: settings },
        { provide: ApiLogger, useValue: logger },
        { provide: Metrics, useValue: metrics },
        ...FEED_PROVIDERS,
        ...LIBRARY_PROVIDERS,
        ...LOGIN_PROVIDERS,
        ...SERVICES,
        ...BULK_PROVIDERS,
        ...MCP_SERVICES,
        ...A2A_PROVIDERS,
      ],
    };
  }
}
