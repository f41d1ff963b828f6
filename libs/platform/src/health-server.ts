import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { isOperator, judgeCallers, requireSafeBinding, type Access, type Judged } from './access.js';
import type { ApiKey } from './api-keys.js';
import type { Metrics } from './metrics.js';

/** Why a process can do its work now, or can't: each named part is `ok` or says what is wrong. */
export interface Readiness {
  ready: boolean;
  checks: Record<string, string>;
}

/**
 * Who may read /metrics, as the settings of a process say.
 * @throws UnsafeBindingError where it would be open to strangers
 */
export function healthAccess(settings: {
  ERRAND_HEALTH_PORT: number;
  ERRAND_HEALTH_HOST: string;
  ERRAND_API_KEYS: readonly ApiKey[] | undefined;
  ERRAND_ALLOW_NO_AUTH: boolean;
}): Access {
  const { ERRAND_HEALTH_HOST: host, ERRAND_API_KEYS: keys = [], ERRAND_ALLOW_NO_AUTH: allowNoAuth } = settings;
  const access = { setting: 'ERRAND_HEALTH_HOST', host, keys, allowNoAuth } as const;
  if (settings.ERRAND_HEALTH_PORT !== 0) requireSafeBinding(access);
  return access;
}

export interface HealthOptions {
  /** 0: none is wanted. */
  port: number;
  access: Access;
  readiness: () => Promise<Readiness>;
  metrics: Metrics;
}

/**
 * The doors of a process that serves nothing else: GET /healthz, GET /readyz (503 with the reasons), open to all who reach it, and
 * GET /metrics, for the operator. Undefined where port is 0.
 */
export async function serveHealth(options: HealthOptions): Promise<Server | undefined> {
  if (options.port === 0) return undefined;
  const judge = judgeCallers(options.access);
  const server = createServer((request, response) => {
    const judged = judge({ authorization: request.headers.authorization, hostname: hostnameOf(request) });
    void answerTo(request.url, judged, options).then(({ status, type = 'application/json', body }) =>
      response.writeHead(status, { 'content-type': type }).end(typeof body === 'string' ? body : JSON.stringify(body)),
    );
  });
  server.listen(options.port, options.access.host);
  await once(server, 'listening');
  return server;
}

interface Answer {
  status: number;
  type?: string;
  body: string | object;
}

async function answerTo(
  url: string | undefined,
  judged: Judged,
  { readiness, metrics }: HealthOptions,
): Promise<Answer> {
  if (url === '/healthz') return { status: 200, body: { status: 'ok' } };
  if (url === '/readyz') {
    const state = await readiness().catch((error: unknown) => readinessOf({ self: String(error) }));
    return { status: state.ready ? 200 : 503, body: state };
  }
  if (url !== '/metrics') return { status: 404, body: { status: 'not found' } };
  if ('refusal' in judged && judged.refusal === 'key') return { status: 401, body: { status: 'refused' } };
  if (!isOperator(judged)) return { status: 403, body: { status: 'refused' } };
  return { status: 200, type: metrics.contentType, body: await metrics.text() };
}

function hostnameOf({ headers }: IncomingMessage): string {
  const address = `http://${headers.host ?? ''}`;
  return URL.canParse(address) ? new URL(address).hostname : '';
}

/** One check as a line: `ok`, or what is wrong. */
export function checkOf(question: Promise<unknown>, complaint: string): Promise<string> {
  return question.then(
    () => 'ok',
    (error: unknown) => `${complaint}: ${error instanceof Error ? error.message : String(error)}`,
  );
}

/** Ready is who passes every check. */
export function readinessOf(checks: Record<string, string>): Readiness {
  return { ready: Object.values(checks).every((result) => result === 'ok'), checks };
}
