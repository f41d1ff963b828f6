import type { Logger, ScriptRunnerSettings } from '@errand/platform';
import { Definitions, QueueModule, Queues, RunnerPresence, NotificationHub } from '@errand/queue';
import { Module, type DynamicModule } from '@nestjs/common';
import { imagesOf, openRunResources } from './prepare-run.js';
import { PrefetchDependencies } from './prefetch-dependencies.js';
import { PrepareRun } from './prepare-run.js';
import { RunScript } from './run-script.js';
import { DockerSandbox, newRunnerId } from './sandbox/index.js';

/** How long a container waits before a new one takes its place, in ms. */
const POOL_AGE_MS = 600_000;
/** How long accepted work waits in a runner whose engine is away, before others may try it, in ms. */
const ENGINE_AWAY_MS = 60_000;

/** What a script-runner is made of. */
@Module({})
export class ScriptRunnerModule {
  static of(settings: ScriptRunnerSettings, redisUrl: string, logger: Logger): DynamicModule {
    const retention = { ageSeconds: settings.ERRAND_RETENTION_AGE, count: settings.ERRAND_RETENTION_COUNT };
    const runnerId = newRunnerId();
    const onError = (err: unknown) => logger.warn({ err }, 'presence could not be told');
    return {
      module: ScriptRunnerModule,
      imports: [QueueModule.forRedis(redisUrl, retention, { patient: true })],
      providers: [
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
        {
          provide: PrefetchDependencies,
          inject: [Queues, NotificationHub, Definitions, PrepareRun],
          useFactory: (...parts: [Queues, NotificationHub, Definitions, PrepareRun]) =>
            new PrefetchDependencies(...parts, settings.ERRAND_RUNNER_LABELS, logger),
        },
        {
          provide: RunScript,
          inject: [Queues, Definitions, DockerSandbox, PrepareRun],
          useFactory: (...parts: [Queues, Definitions, DockerSandbox, PrepareRun]) => new RunScript(...parts, logger),
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
    onError: (err) => logger.warn({ err }, 'no container could be made to wait for scripts'),
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
