import 'reflect-metadata';
import {
  allocateYoung,
  createLogger,
  lowerBackgroundThreads,
  Metrics,
  NestLogger,
  readinessOf,
  readProcessSettings,
  requireRedisUrl,
  requireSafeHealth,
  serveHealth,
  VERSION,
  WORKER_SETTINGS,
  type EnvironmentVariables,
  type Running,
} from '@errand/platform';
import { agreeOnLayout, NotificationHub, OwnProcess, ProcessBeat, Queues, requireRedis } from '@errand/queue';
import { NestFactory } from '@nestjs/core';
import { hostname } from 'node:os';
import { DeliveriesProcessor } from './deliveries.processor.js';
import { InvocationsProcessor } from './invocations.processor.js';
import { WorkerModule } from './worker.module.js';

/** Starts a worker. Any number of workers share the jobs. Resolves when the worker takes jobs. */
export async function startWorker(env: EnvironmentVariables, metrics = new Metrics()): Promise<Running> {
  allocateYoung();
  lowerBackgroundThreads();
  const settings = readProcessSettings(WORKER_SETTINGS, env);
  const redisUrl = requireRedisUrl(settings);
  requireSafeHealth(settings);
  await requireRedis(redisUrl);
  const layout = await agreeOnLayout(redisUrl, settings.ERRAND_SHARDS, settings.ERRAND_REDIS_REPLY_MS);
  const logger = createLogger('worker', settings.ERRAND_LOG_LEVEL);
  const app = await NestFactory.createApplicationContext(
    WorkerModule.of(settings, { redisUrl, layout }, logger, metrics),
    {
      logger: new NestLogger(logger),
      abortOnError: false,
    },
  );
  const [invocations, deliveries] = [app.get(InvocationsProcessor), app.get(DeliveriesProcessor)];
  await Promise.all([invocations.start(), deliveries.start()]);
  const queues = app.get(Queues);
  const drain = async () => void (await Promise.all([invocations.close(), deliveries.close()]));
  const beat = new ProcessBeat(
    queues,
    app.get(OwnProcess),
    {
      host: hostname(),
      version: VERSION,
      queues: ['invocations', 'deliveries'],
      labels: [],
      slots: settings.ERRAND_WORKER_CONCURRENCY,
      lockMs: settings.ERRAND_LOCK_MS,
    },
    {
      drain,
      notifications: app.get(NotificationHub),
      onError: (err) => logger.warn({ err }, 'the heartbeat could not be written'),
    },
  );
  await beat.start();
  const health = await serveHealth({
    settings,
    readiness: async () =>
      readinessOf({
        redis: await queues.checkWrites((err) => logger.warn({ err }, 'not ready')),
      }),
    metrics,
  });
  logger.info({ concurrency: settings.ERRAND_WORKER_CONCURRENCY }, 'worker ready');
  return {
    runningJobs: () => invocations.runningJobs(),
    close: async () => {
      beat.noteDraining();
      await drain();
      await beat.stop();
      health?.close();
      await app.close();
    },
  };
}
