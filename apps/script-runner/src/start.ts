import 'reflect-metadata';
import {
  createLogger,
  Metrics,
  NestLogger,
  readinessOf,
  readProcessSettings,
  requireRedisUrl,
  requireSafeHealth,
  SCRIPT_RUNNER_SETTINGS,
  serveHealth,
  VERSION,
  type EnvironmentVariables,
  type Logger,
  type Readiness,
  type Running,
  type ScriptRunnerSettings,
} from '@errand/platform';
import {
  agreeOnLayout,
  NotificationHub,
  OwnProcess,
  ProcessBeat,
  Queues,
  RunnerPresence,
  requireRedis,
  scriptQueue,
} from '@errand/queue';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { hostname } from 'node:os';
import { CheckSandbox } from './escapes/index.js';
import { measureCapacity, measureContainers } from './measure-containers.js';
import { PrefetchDependencies } from './prefetch-dependencies.js';
import { PrepareRun } from './prepare-run.js';
import { DockerSandbox } from './sandbox/index.js';
import { ScriptsProcessor } from './scripts.processor.js';
import { ScriptRunnerModule } from './script-runner.module.js';

/** Interval of the sweeps for containers of dead runners, in ms. */
const SWEEP_MS = 30_000;

/**
 * Starts a script-runner, the only process that uses the Docker socket. Any number of script-runners share the jobs, one
 * on each Docker host. Resolves when it takes jobs.
 */
export async function startScriptRunner(env: EnvironmentVariables, metrics = new Metrics()): Promise<Running> {
  const settings = readProcessSettings(SCRIPT_RUNNER_SETTINGS, env);
  const redisUrl = requireRedisUrl(settings);
  requireSafeHealth(settings);
  await requireRedis(redisUrl);
  const layout = await agreeOnLayout(redisUrl, settings.ERRAND_SHARDS, settings.ERRAND_REDIS_REPLY_MS);
  const logger = createLogger('script-runner', settings.ERRAND_LOG_LEVEL);
  const app = await NestFactory.createApplicationContext(
    ScriptRunnerModule.of(settings, { redisUrl, layout }, logger, metrics),
    {
      logger: new NestLogger(logger),
      abortOnError: false,
    },
  );
  const sandbox = app.get(DockerSandbox);
  const presence = app.get(RunnerPresence);
  const { ERRAND_RUNNER_CONCURRENCY: capacity, ERRAND_RUNNER_LABELS: offers } = settings;
  measureContainers(metrics, sandbox);
  measureCapacity(metrics, capacity);
  await presence.start();
  const stopSweeping = sweepRegularly(sandbox, logger);
  const scripts = app.get(ScriptsProcessor);
  await scripts.start();
  const beat = beatOfRunner(app, settings, logger);
  await beat.start();
  const stopPrefetching = app.get(PrefetchDependencies).start();
  const stopChecking = await app.get(CheckSandbox).start();
  const health = await serveHealth({
    settings,
    readiness: async () => ({
      ...(await readiness(sandbox, app.get(Queues), logger)),
      offers,
      load: { capacity, inHand: scripts.runningJobs().length, waiting: sandbox.waiting },
    }),
    metrics,
  });
  logger.info({ runnerId: presence.runnerId, concurrency: capacity, offers }, 'script-runner ready');
  return {
    runningJobs: () => scripts.runningJobs(),
    close: async () => {
      beat.noteDraining();
      await scripts.close();
      app.get(PrepareRun).close();
      await app.get(Queues).unlessAway(Promise.all([stopPrefetching(), stopSweeping(), stopChecking()]));
      await sandbox.close();
      await presence.stop();
      await beat.stop();
      health?.close();
      await app.close();
    },
  };
}

/** The heartbeat of a runner. A drain lets the running scripts end; the waiting containers stay until the process ends. */
function beatOfRunner(app: INestApplicationContext, settings: ScriptRunnerSettings, logger: Logger): ProcessBeat {
  const [sandbox, scripts] = [app.get(DockerSandbox), app.get(ScriptsProcessor)];
  const { ERRAND_RUNNER_LABELS: labels, ERRAND_RUNNER_CONCURRENCY: slots, ERRAND_LOCK_MS: lockMs } = settings;
  const queues = labels.map((label) => scriptQueue(label));
  return new ProcessBeat(
    app.get(Queues),
    app.get(OwnProcess),
    { host: hostname(), version: VERSION, queues, labels, slots, lockMs },
    {
      drain: () => scripts.close(),
      notifications: app.get(NotificationHub),
      containers: () => ({ waiting: sandbox.waiting, running: scripts.runningJobs().length }),
      onError: (err) => logger.warn({ err }, 'the heartbeat could not be written'),
    },
  );
}

/** Removes orphaned containers at the start and every half minute. A later sweep retries failed removals. */
function sweepRegularly(sandbox: DockerSandbox, logger: Logger): () => Promise<void> {
  const sweep = () =>
    sandbox.sweep().then(
      (removed) => void (removed > 0 && logger.info({ removed }, 'containers of dead runners removed')),
      (err: unknown) => logger.warn({ err }, 'the sweep for orphaned containers failed'),
    );
  let running = sweep();
  const timer = setInterval(() => {
    running = running.then(sweep);
  }, SWEEP_MS);
  return () => {
    clearInterval(timer);
    return running;
  };
}

async function readiness(sandbox: DockerSandbox, queues: Queues, logger: Logger): Promise<Readiness> {
  const [engine, redis] = await Promise.all([
    sandbox.ping(),
    queues.checkWrites((err) => logger.warn({ err }, 'not ready')),
  ]);
  return readinessOf({ docker: engine.ok ? 'ok' : (engine.reason ?? 'not ready'), redis });
}
