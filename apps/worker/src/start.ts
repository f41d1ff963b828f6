import 'reflect-metadata';
import {
  checkOf,
  createLogger,
  RunningJobIds,
  measureRunningJobs,
  measureJobs,
  Metrics,
  NestLogger,
  readinessOf,
  readProcessSettings,
  requireRedisUrl,
  requireSafeHealth,
  serveHealth,
  WORKER_SETTINGS,
  type EnvironmentVariables,
  type Logger,
  type Running,
  type WorkerSettings,
} from '@errand/platform';
import { consume, consumeDeliveries, Queues, requireRedis, type Consumer } from '@errand/queue';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { countAttempts } from './deliveries/count-attempts.js';
import { DeliverCallback } from './deliveries/deliver-callback.js';
import { RunInvocation } from './run-invocation.js';
import { WorkerModule } from './worker.module.js';

/** Starts a worker. Any number of workers share the jobs. Resolves when the worker takes jobs. */
export async function startWorker(env: EnvironmentVariables, metrics = new Metrics()): Promise<Running> {
  const settings = readProcessSettings(WORKER_SETTINGS, env);
  const redisUrl = requireRedisUrl(settings);
  requireSafeHealth(settings);
  await requireRedis(redisUrl);
  const logger = createLogger('worker', settings.ERRAND_LOG_LEVEL);
  const app = await NestFactory.createApplicationContext(WorkerModule.of(settings, redisUrl, logger), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  const runningJobs = new RunningJobIds();
  const consumers = consumeAll(app, { settings, redisUrl, logger, metrics, runningJobs });
  await Promise.all(consumers.map((consumer) => consumer.ready()));
  const queues = app.get(Queues);
  const health = await serveHealth({
    settings,
    readiness: async () => readinessOf({ redis: await checkOf(queues.ping(), 'Redis does not answer') }),
    metrics,
  });
  logger.info({ concurrency: settings.ERRAND_WORKER_CONCURRENCY }, 'worker ready');
  return {
    runningJobs: () => runningJobs.all(),
    close: async () => {
      await Promise.all(consumers.map((consumer) => consumer.close()));
      health?.close();
      await app.close();
    },
  };
}

interface WorkerParts {
  settings: WorkerSettings;
  redisUrl: string;
  logger: Logger;
  metrics: Metrics;
  runningJobs: RunningJobIds;
}

/** Consumes the queues of a worker: invocations to run, and callbacks to deliver. */
function consumeAll(
  app: INestApplicationContext,
  { settings, redisUrl, logger, metrics, runningJobs }: WorkerParts,
): Consumer[] {
  const runInvocation = app.get(RunInvocation);
  const deliverCallback = app.get(DeliverCallback);
  const shared = {
    lockMs: settings.ERRAND_LOCK_MS,
    stalledMs: settings.ERRAND_STALLED_MS,
    onError: (err: Error) => logger.warn({ err }, 'queue error'),
  };
  const running = {
    ...shared,
    concurrency: settings.ERRAND_WORKER_CONCURRENCY,
    onEnded: measureJobs(metrics, 'invocations'),
  };
  measureRunningJobs(metrics, 'invocations', runningJobs);
  const countAttempt = countAttempts(metrics);
  const delivering = {
    ...shared,
    concurrency: settings.ERRAND_CALLBACK_CONCURRENCY,
    perReceiver: settings.ERRAND_CALLBACK_PER_RECEIVER,
    scheduleMs: settings.ERRAND_CALLBACK_BACKOFF,
  };
  return [
    consume(redisUrl, 'invocations', running, (work) => runningJobs.track(work.id, () => runInvocation.run(work))),
    consumeDeliveries(redisUrl, app.get(Queues), delivering, async (delivery) =>
      countAttempt(await deliverCallback.deliver(delivery)),
    ),
  ];
}
