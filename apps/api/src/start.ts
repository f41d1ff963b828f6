import 'reflect-metadata';
import {
  allocateYoung,
  API_SETTINGS,
  countRefusals,
  createBoundedServer,
  createLogger,
  listenEverywhere,
  lowerBackgroundThreads,
  Metrics,
  NestLogger,
  readProcessSettings,
  requireRedisUrl,
  requireSafeBinding,
  VERSION,
  type EnvironmentVariables,
  type Running,
} from '@errand/platform';
import {
  agreeOnLayout,
  LoginSessions,
  NotificationHub,
  OwnProcess,
  ProcessBeat,
  Queues,
  requireRedis,
} from '@errand/queue';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { RequestListener } from 'node:http';
import { hostname } from 'node:os';
import { sendRpcProblems } from './a2a/rpc-problems.js';
import { ApiModule } from './api.module.js';
import { AnswerChecks } from './control/answer-checks.js';
import { CONSOLE_FOLDER } from './console/console-folder.js';
import { serveConsole, targetOf } from './console/serve-console.js';
import { Callers } from './login/callers.js';
import { DryRuns } from './tools/dry-runs.js';
import { Feeds } from './feed/feeds.js';
import { InvocationWatcher } from './stream/wait-for-invocation.js';
import { compressResponses } from './http/compress-responses.js';
import { DirectListener } from './http/direct-listener.js';
import { serveDirectly, submissionHandlers } from './http/direct-routes.js';
import { tagResponses } from './http/entity-tags.js';
import { admitByKey, guardAccess } from './http/guard-access.js';
import { MALFORMED_REQUESTS, methodsOf, refuseEncodedBodies, refuseWrongMethods } from './http/malformed-requests.js';
import { measureRequests } from './http/measure-requests.js';
import { ProblemFilter } from './http/problem.filter.js';
import { serveDashboard } from './http/dashboard/queue-dashboard.js';
import { readJsonBodies } from './http/read-json-bodies.js';
import { RequestPipe } from './http/request-pipe.js';
import { RunningRequests } from './http/running-requests.js';
import { measureQueues } from './measure-queues.js';

/**
 * Starts the API; resolves when it takes requests. `close` ends all waits and streams, and responds to the running requests first.
 * @param direct false: every request goes through Nest, with the same responses; for the test that compares both
 * @param consoleFolder where the build of the console is
 */
export async function startApi(
  env: EnvironmentVariables,
  metrics = new Metrics(),
  { direct = true, consoleFolder = CONSOLE_FOLDER }: { direct?: boolean; consoleFolder?: string } = {},
): Promise<Running & { url: string }> {
  allocateYoung();
  lowerBackgroundThreads();
  const settings = readProcessSettings(API_SETTINGS, env);
  const redisUrl = requireRedisUrl(settings);
  const host = settings.ERRAND_HOST;
  const keys = settings.ERRAND_API_KEYS ?? [];
  requireSafeBinding({ setting: 'ERRAND_HOST', host, keys, allowNoAuth: settings.ERRAND_ALLOW_NO_AUTH });
  await requireRedis(redisUrl);
  const layout = await agreeOnLayout(redisUrl, settings.ERRAND_SHARDS, settings.ERRAND_REDIS_REPLY_MS);
  const logger = createLogger('api', settings.ERRAND_LOG_LEVEL);
  const onRefused = countRefusals(metrics);
  const running = new RunningRequests();
  let listener: DirectListener | undefined;
  const adapter = new FastifyAdapter({
    bodyLimit: settings.ERRAND_BODY_LIMIT,
    serverFactory: (throughFastify: RequestListener) => {
      const handler = running.counting((request, response) => {
        if (!listener?.take(request, response)) throughFastify(request, response);
      });
      return createBoundedServer(settings, { handler, methodsOf, onRefused });
    },
    ...(settings.ERRAND_CONSOLE && { rewriteUrl: targetOf }),
    ...MALFORMED_REQUESTS,
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiModule.of(settings, { redisUrl, layout }, logger, metrics),
    adapter,
    { logger: new NestLogger(logger), abortOnError: false, bodyParser: false },
  );
  measureQueues(metrics, app.get(Queues));
  const fastify = adapter.getInstance();
  if (direct) serveDirectly(fastify, app);
  const measure = measureRequests(fastify, metrics);
  const rules = {
    callers: app.get(Callers),
    sessions: app.get(LoginSessions),
    notifications: app.get(NotificationHub),
    publicUrl: settings.ERRAND_PUBLIC_URL,
    allowedOrigins: settings.ERRAND_ALLOWED_ORIGINS,
  };
  guardAccess(fastify, rules);
  refuseEncodedBodies(fastify);
  refuseWrongMethods(fastify);
  readJsonBodies(fastify);
  tagResponses(fastify);
  sendRpcProblems(fastify);
  await compressResponses(fastify);
  if (settings.ERRAND_CONSOLE) await serveConsole(fastify, consoleFolder);
  serveDashboard(fastify, () => app.get(Queues));
  app.useGlobalPipes(new RequestPipe());
  const problems = new ProblemFilter(logger);
  app.useGlobalFilters(problems);
  await app
    .listen(settings.ERRAND_PORT, host)
    .catch((error: unknown) => refuseAddress(error, host, settings.ERRAND_PORT));
  const stopListening = await listenEverywhere(fastify.server, host);
  const url = await app.getUrl();
  const shared = { admit: admitByKey(rules), problems, measure, bodyLimit: settings.ERRAND_BODY_LIMIT };
  if (direct) listener = new DirectListener(submissionHandlers(app), shared);
  const lockMs = settings.ERRAND_LOCK_MS;
  const beat = new ProcessBeat(
    app.get(Queues),
    new OwnProcess('api'),
    { host: hostname(), version: VERSION, queues: [], labels: [], slots: 0, lockMs },
    { onError: (err) => logger.warn({ err }, 'the heartbeat could not be written') },
  );
  await beat.start();
  logger.info({ url }, 'api ready');
  return {
    url,
    close: async () => {
      listener?.close();
      app.get(Feeds).release();
      app.get(InvocationWatcher).release();
      await beat.stop();
      await Promise.all([app.get(DryRuns).close(), app.get(AnswerChecks).close()]);
      await running.closeWhenIdle(fastify, () => Promise.all([stopListening(), app.close()]));
    },
  };
}

/** The operator can fix an address that cannot be bound. The message says how. */
function refuseAddress(error: unknown, host: string, port: number): never {
  const { code } = error as { code?: string };
  const reason = {
    EADDRINUSE: 'is taken',
    EACCES: 'needs more rights',
    EADDRNOTAVAIL: 'is not an address of this machine',
  }[code ?? ''];
  if (!reason) throw error;
  throw Object.assign(new Error(`${host}:${port} ${reason}; set ERRAND_HOST or ERRAND_PORT to another`), {
    hint: true,
  });
}
