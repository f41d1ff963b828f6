import { isOperator, createAccessCheck, type ApiKey } from '@errand/platform';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from './problem-error.js';
import { resolveScope, TENANT_HEADER, type RequestScope } from './request-scope.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenants that the request concerns. Open routes have none. */
    scope: RequestScope;
  }
}

/** `/` has the addresses of the pages, and no data. */
const OPEN_ROUTES = new Set(['/', '/healthz', '/readyz']);
const DASHBOARD = '/admin/';
/** Pages in a browser: it asks for a password, and sends it with every request for these paths. */
const PAGES_FOR_PEOPLE: readonly string[] = [DASHBOARD, '/docs'];
/** The data of all tenants, and what the operator sets for them. */
const OPERATOR_ONLY: readonly string[] = [DASHBOARD, '/metrics', '/v1/tenants/'];

/** Routes whose query may name a tenant. */
const LISTS = new Set(['/v1/invocations']);

/** The scope of a request, as a parameter of its handler. */
export const Scope = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().scope,
);

/**
 * Requires an API key and sets the scope of the request. The matched route decides, not the path of the request, because a path has many
 * spellings.
 */
export function guardAccess(fastify: FastifyInstance, keys: readonly ApiKey[]): void {
  const identify = createAccessCheck(keys);
  fastify.decorateRequest('scope');
  const guard = (request: FastifyRequest, reply: FastifyReply): void => {
    const route = request.routeOptions.url ?? '';
    if (OPEN_ROUTES.has(route)) return;
    const { authorization } = request.headers;
    const byPassword = PAGES_FOR_PEOPLE.some((page) => route.startsWith(page));
    const caller = identify({ authorization, byPassword });
    if ('refused' in caller) throw withoutKey(byPassword, reply);
    if (OPERATOR_ONLY.some((begin) => route.startsWith(begin)) && !isOperator(caller)) {
      const detail = 'This concerns all tenants and needs a key that has no tenant in ERRAND_API_KEYS';
      throw new ProblemError('forbidden', detail);
    }
    const { tenant } = request.query as { tenant?: unknown };
    request.scope = resolveScope({
      caller: caller.tenant,
      isOperator: isOperator(caller),
      hasKey: keys.length > 0,
      header: request.headers[TENANT_HEADER],
      query: request.method !== 'POST' && LISTS.has(route) ? tenant : undefined,
    });
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    guard(request, reply);
    done();
  });
}

function withoutKey(byPassword: boolean, reply: FastifyReply): ProblemError {
  void reply.header('www-authenticate', byPassword ? 'Basic realm="Errand", charset="UTF-8"' : 'Bearer');
  return new ProblemError(
    'unauthorized',
    `Present one of the keys of ERRAND_API_KEYS as \`Authorization: Bearer <key>\`${byPassword ? ', or as the password of any user' : ''}`,
  );
}
