import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { isOperator, createAccessCheck, requireSafeBinding } from './access.js';
import type { ApiKey } from './api-keys.js';
import { createBoundedServer, type ServingSettings } from './http/bounded-server.js';
import { PROBLEM_TYPE, problemBody } from './http/problem-body.js';
import type { Metrics } from './metrics.js';
import { countRefusals } from './http/count-refusals.js';

/** Whether a process can do its work now. Each named check is `ok` or says what is wrong. */
export interface Readiness {
  ready: boolean;
  checks: Record<string, string>;
}

/** The settings of the health server. */
interface HealthSettings extends ServingSettings {
  ERRAND_HEALTH_PORT: number;
  ERRAND_HEALTH_HOST: string;
  ERRAND_API_KEYS: readonly ApiKey[] | undefined;
  ERRAND_ALLOW_NO_AUTH: boolean;
}

/** @throws UnsafeBindingError if strangers could read /metrics */
export function requireSafeHealth(settings: HealthSettings): void {
  const { ERRAND_HEALTH_HOST: host, ERRAND_API_KEYS: keys = [], ERRAND_ALLOW_NO_AUTH: allowNoAuth } = settings;
  if (settings.ERRAND_HEALTH_PORT !== 0) requireSafeBinding({ setting: 'ERRAND_HEALTH_HOST', host, keys, allowNoAuth });
}

export interface HealthOptions {
  settings: HealthSettings;
  readiness: () => Promise<Readiness>;
  metrics: Metrics;
}

/**
 * Serves GET /healthz and GET /readyz (503 with the reasons) to all clients, and GET /metrics to the operator. It is
 * for processes without another HTTP server; it uses no framework, because loading one costs 15 MB in each. Returns
 * undefined if ERRAND_HEALTH_PORT is 0.
 */
export async function serveHealth(options: HealthOptions): Promise<Server | undefined> {
  const { settings, metrics } = options;
  if (settings.ERRAND_HEALTH_PORT === 0) return undefined;
  const checkAccess = createAccessCheck(settings.ERRAND_API_KEYS ?? []);
  const server = createBoundedServer(settings, {
    methodsOf: () => ['GET', 'HEAD'],
    onRefused: countRefusals(metrics),
    handler: (request, response) =>
      void respondTo(request, checkAccess, options).then(({ status, type = 'application/json', body }) =>
        response
          .writeHead(status, { 'content-type': type })
          .end(typeof body === 'string' ? body : JSON.stringify(body)),
      ),
  });
  server.listen(settings.ERRAND_HEALTH_PORT, settings.ERRAND_HEALTH_HOST);
  await once(server, 'listening');
  return server;
}

interface HealthResponse {
  status: number;
  type?: string;
  body: string | object;
}

async function respondTo(
  { url = '', method = '', headers: { authorization } }: IncomingMessage,
  checkAccess: ReturnType<typeof createAccessCheck>,
  { readiness, metrics }: HealthOptions,
): Promise<HealthResponse> {
  if (method !== 'GET' && method !== 'HEAD')
    return problem('invalid_request', `${method} is not supported by this server`, 405);
  if (url === '/healthz') return { status: 200, body: { status: 'ok' } };
  if (url === '/readyz') {
    const state = await readiness().catch((error: unknown) => readinessOf({ self: String(error) }));
    return { status: state.ready ? 200 : 503, body: state };
  }
  if (url !== '/metrics') return problem('not_found', 'This server has /healthz, /readyz and /metrics');
  const decision = checkAccess({ authorization });
  if ('refused' in decision)
    return problem('unauthorized', 'Send an operator key of ERRAND_API_KEYS as `Authorization: Bearer <key>`');
  if (!isOperator(decision)) return problem('forbidden', 'Only keys without a tenant in ERRAND_API_KEYS open /metrics');
  return { status: 200, type: metrics.contentType, body: await metrics.text() };
}

function problem(...[code, detail, status]: Parameters<typeof problemBody>): HealthResponse {
  const body = problemBody(code, detail, status);
  return { status: body.status, type: PROBLEM_TYPE, body };
}

/** A process is ready if all checks are `ok`. */
export function readinessOf(checks: Record<string, string>): Readiness {
  return { ready: Object.values(checks).every((result) => result === 'ok'), checks };
}
