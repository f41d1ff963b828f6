import { calledHost } from '@errand/platform';
import type { LoginSessions, NotificationHub } from '@errand/queue';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Callers } from '../login/callers.js';
import { endWithSession, isEventStream } from '../login/end-streams.js';
import { tokenIn } from '../login/login-cookie.js';
import { requireOperator } from '../login/require-scope.js';
import { CONSOLE_ROUTES } from '../console/serve-console.js';
import { refuseCrossSite } from '../login/refuse-cross-site.js';
import type { PlainReply } from './plain-reply.js';
import { ProblemError } from './problem-error.js';
import { resolveScope, TENANT_HEADER, type RequestScope } from './request-scope.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenants that the request concerns. Open routes have none. */
    scope: RequestScope;
    /** Who sends it. Open routes have none. */
    caller: Caller;
  }
}

/** `/` has the addresses of the pages, and no data. Logging in and out checks by itself. */
const OPEN_ROUTES = new Set(['/', '/healthz', '/readyz', '/v1/login', '/v1/logout', ...CONSOLE_ROUTES]);
/** The routes that take the cookie of a login session in place of a key. */
const API = '/v1/';
const DASHBOARD = '/admin/';
/** Pages in a browser: it asks for a password, and sends it with every request for these paths. */
const PAGES_FOR_PEOPLE: readonly string[] = [DASHBOARD, '/docs'];
/** The data of all tenants, and what the operator sets for them. */
const OPERATOR_ONLY: readonly string[] = [DASHBOARD, '/metrics', '/v1/tenants/'];

/** Routes whose query may name a tenant. */
const LISTS = new Set([
  '/v1/bulk',
  '/v1/deliveries',
  '/v1/effects',
  '/v1/events',
  '/v1/inbox',
  '/v1/invocations',
  '/v1/invocations/counts',
  '/v1/processes',
  '/v1/queues',
  '/v1/refusals',
  '/v1/refusals/summary',
  '/v1/search',
  '/v1/stats',
]);

/** The scope of a request, as a parameter of its handler. */
export const Scope = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().scope,
);

/** The caller of a request, as a parameter of its handler. */
export const By = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().caller,
);

/** What the guard decides by. */
export interface AccessRules {
  callers: Callers;
  sessions: LoginSessions;
  notifications: NotificationHub;
  publicUrl: string | undefined;
  allowedOrigins: readonly string[];
}

/** The parts of a request that the guard reads and sets. */
type GuardedRequest = Pick<FastifyRequest, 'method' | 'raw' | 'headers' | 'query' | 'scope' | 'caller'>;

/** Sets the caller and the scope of a request by its key. @throws ProblemError */
export type AdmitByKey = (request: GuardedRequest, reply: PlainReply, route: string) => void;

/** The guard of requests without a login session. */
export function admitByKey({ callers, publicUrl, allowedOrigins }: AccessRules): AdmitByKey {
  const { hasKeys } = callers;
  return (request, reply, route) => {
    if (!hasKeys) refuseCrossSite(request, [calledHost(request.raw).origin, publicUrl], allowedOrigins);
    const { authorization } = request.headers;
    const byPassword = PAGES_FOR_PEOPLE.some((page) => route.startsWith(page));
    const caller = callers.identify({ authorization, byPassword });
    if (!caller) throw withoutKey(byPassword, reply);
    request.caller = caller;
    request.scope = scopeFor(request, route, caller, hasKeys);
  };
}

/**
 * Requires an API key or a login session, and sets the caller and the scope of the request. The matched route decides, not the path of the
 * request, because a path has many spellings.
 */
export function guardAccess(fastify: FastifyInstance, rules: AccessRules): void {
  const { callers, publicUrl } = rules;
  const { hasKeys } = callers;
  const admit = admitByKey(rules);
  fastify.decorateRequest('scope');
  fastify.decorateRequest('caller');
  const byCookie = async (request: FastifyRequest, reply: FastifyReply, token: string): Promise<Caller> => {
    refuseCrossSite(request, [calledHost(request.raw).origin, publicUrl]);
    const session = await rules.sessions.use(token);
    const caller = session && (await callers.withKey(session.keyName));
    if (!caller) throw withoutSession(reply);
    if (isEventStream(request.routeOptions.url ?? '')) endWithSession(reply, session.digest, rules);
    return { ...caller, session };
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url ?? '';
    // An unknown path of an API without console has no data either.
    if (OPEN_ROUTES.has(route) || (route === '' && isConsole(request.url))) return done();
    const { authorization, cookie } = request.headers;
    const takesCookie =
      cookie !== undefined && authorization === undefined && hasKeys && (route || request.url).startsWith(API);
    const token = takesCookie ? tokenIn(cookie) : undefined;
    if (token === undefined) {
      admit(request, reply, route);
      return done();
    }
    const admitSession = async () => {
      request.caller = await byCookie(request, reply, token);
      request.scope = scopeFor(request, route, request.caller, hasKeys);
    };
    void finish(admitSession, done);
  });
}

/** Calls `done` once, with the error of `decide` if it fails. */
async function finish(decide: () => Promise<void>, done: (error?: Error) => void): Promise<void> {
  let failure: Error | undefined;
  try {
    await decide();
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  done(failure);
}

function isConsole(url: string): boolean {
  return /^\/console(?:[/?]|$)/.test(url);
}

/** @throws ProblemError forbidden for a route or tenant that is not for this caller */
function scopeFor(request: GuardedRequest, route: string, caller: Caller, hasKey: boolean): RequestScope {
  if (OPERATOR_ONLY.some((begin) => route.startsWith(begin))) requireOperator(caller);
  const { tenant } = request.query as { tenant?: unknown };
  return resolveScope({
    caller: caller.tenant,
    isOperator: caller.isOperator,
    hasKey,
    header: request.headers[TENANT_HEADER],
    query: request.method !== 'POST' && LISTS.has(route) ? tenant : undefined,
  });
}

function withoutSession(reply: FastifyReply): ProblemError {
  void reply.header('www-authenticate', 'Bearer');
  return new ProblemError('unauthorized', 'The login session has ended; log in again, or send an API key');
}

function withoutKey(byPassword: boolean, reply: PlainReply): ProblemError {
  void reply.header('www-authenticate', byPassword ? 'Basic realm="Errand", charset="UTF-8"' : 'Bearer');
  return new ProblemError(
    'unauthorized',
    `Present one of the keys of ERRAND_API_KEYS as \`Authorization: Bearer <key>\`${byPassword ? ', or as the password of any user' : ''}`,
  );
}
