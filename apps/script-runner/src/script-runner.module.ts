import { Metrics, type Logger, type ScriptRunnerSettings } from '@errand/platform';
import { OwnProcess, QueueModule, Queues, RunnerPresence, type ShardLayout } from '@errand/queue';
import { Module, type DynamicModule } from '@nestjs/common';
import { CheckSandbox } from './escapes/index.js';
import { PrefetchDependencies } from './prefetch-dependencies.js';
import { imagesOf, openRunResources, PrepareRun } from './prepare-run.js';
import { RunnerConfiguration, RunnerLogger } from './runner-tokens.js';
import { RunScript } from './run-script.js';
import { ScriptsProcessor } from './scripts.processor.js';
import { DockerSandbox, newRunnerId } from './sandbox/index.js';

/** Maximum age of a waiting container, in ms. Then a new one replaces it. */
const POOL_AGE_MS = 600_000;
/** How long a job waits in a runner whose Docker engine is unreachable, before other runners may try it. In ms. */
const ENGINE_AWAY_MS = 60_000;

/** The providers of a script-runner. */
@Module({})
export class ScriptRunnerModule {
  static of(
    settings: ScriptRunnerSettings,
    { redisUrl, layout }: { redisUrl: string; layout: ShardLayout },
    logger: Logger,
    metrics: Metrics,
  ): DynamicModule {
    const retention = { ageSeconds: settings.ERRAND_RETENTION_AGE, count: settings.ERRAND_RETENTION_COUNT };
    const runnerId = newRunnerId();
    const onError = (err: unknown) => logger.warn({ err }, 'the heartbeat could not be written');
    return {
      module: ScriptRunnerModule,
      imports: [
        QueueModule.forRedis(redisUrl, retention, {
          patient: true,
          topics: 'control',
          bullmqEvents: settings.ERRAND_BULLMQ_EVENTS,
          replyMs: settings.ERRAND_REDIS_REPLY_MS,
          layout,
        }),
      ],
      providers: [
        { provide: RunnerConfiguration, useValue: settings },
        { provide: RunnerLogger, useValue: logger },
        { provide: Metrics, useValue: metrics },
        { provide: OwnProcess, useValue: new OwnProcess('runner') },
        RunScript,
        PrefetchDependencies,
        CheckSandbox,
        ScriptsProcessor,
        {
          provide: RunnerPresence,
          inject: [Queues],
          useFactory: (queues: Queues) => new RunnerPresence(queues, runnerId, onError),
        },
        {
          provide: DockerSandbox,
          inject: [RunnerPresence],
          useFactory: async (presence: RunnerPresence) =>
            openSandbox(settings, presence, await presence.installation(), logger),
        },
        {
          provide: PrepareRun,
          inject: [Queues, DockerSandbox],
          useFactory: (queues: Queues, sandbox: DockerSandbox) =>
            new PrepareRun(queues, openRunResources(settings, sandbox), logger),
        },
      ],
    };
  }
}

function openSandbox(
  settings: ScriptRunnerSettings,
  presence: RunnerPresence,
  installation: string,
  logger: Logger,
): DockerSandbox {
  return new DockerSandbox({
    images: imagesOf(settings),
    runnerId: presence.runnerId,
    installation,
    isAlive: (runnerId) => presence.isAlive(runnerId),
    runtime: settings.ERRAND_SANDBOX_RUNTIME,
    pool: { min: settings.ERRAND_POOL_MIN, max: settings.ERRAND_POOL_MAX, maxAgeMs: POOL_AGE_MS },
    engineAwayMs: ENGINE_AWAY_MS,
    onError: (err) => logger.warn({ err }, 'the pool could not start a container'),
    maxima: {
      timeoutMs: settings.ERRAND_SCRIPT_MAX_TIMEOUT_MS,
      cpuMs: settings.ERRAND_SCRIPT_MAX_CPU_MS,
      memoryMb: settings.ERRAND_SCRIPT_MAX_MEMORY_MB,
      cpus: settings.ERRAND_SCRIPT_MAX_CPUS,
      pids: settings.ERRAND_SCRIPT_MAX_PIDS,
      outputKb: settings.ERRAND_SCRIPT_MAX_OUTPUT_KB,
      tmpMb: settings.ERRAND_SCRIPT_MAX_TMP_MB,
    },
  });
}
