import 'reflect-metadata';
import {
  checkOf,
  createLogger,
  NestLogger,
  readinessOf,
  readProcessSettings,
  requireRedisUrl,
  serveHealth,
  WORKER_SETTINGS,
  type Environment,
  type Running,
} from '@errand/platform';
import { consume, Queues, requireRedis } from '@errand/queue';
import { NestFactory } from '@nestjs/core';
import { RunInvocation } from './run-invocation.js';
import { WorkerModule } from './worker.module.js';

/** Starts a worker; any number of them share the work. Resolves when it takes jobs. */
export async function startWorker(env: Environment): Promise<Running> {
  const settings = readProcessSettings(WORKER_SETTINGS, env);
  const redisUrl = requireRedisUrl(settings);
  await requireRedis(redisUrl);
  const logger = createLogger('worker', settings.ERRAND_LOG_LEVEL);
  const app = await NestFactory.createApplicationContext(WorkerModule.of(settings, redisUrl, logger), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  const runInvocation = app.get(RunInvocation);
  const { redis } = app.get(Queues);
  const consumer = consume(
    redisUrl,
    'invocations',
    {
      concurrency: settings.ERRAND_WORKER_CONCURRENCY,
      lockMs: settings.ERRAND_LOCK_MS,
      stalledMs: settings.ERRAND_STALLED_MS,
      onError: (err) => logger.warn({ err }, 'the queue reports'),
    },
    (work) => runInvocation.run(work),
  );
  await consumer.ready();
  const health = await serveHealth(settings.ERRAND_HEALTH_PORT, async () =>
    readinessOf({ redis: await checkOf(redis.ping(), 'Redis does not answer') }),
  );
  logger.info({ concurrency: settings.ERRAND_WORKER_CONCURRENCY }, 'worker ready');
  return {
    close: async () => {
      await consumer.close();
      health?.close();
      await app.close();
    },
  };
}
