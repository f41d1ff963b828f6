import { DEFAULT_TENANT, isOperator, createAccessCheck, type ApiKey } from '@errand/platform';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from './problem-error.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenant of the API key. The caller sees its data only. */
    tenant: string;
  }
}

/** `/` has the addresses of the pages, and no data. */
const OPEN_ROUTES = new Set(['/', '/healthz', '/readyz']);
const DASHBOARD = '/admin/';
/** Pages in a browser: it asks for a password, and sends it with every request for these paths. */
const PAGES_FOR_PEOPLE: readonly string[] = [DASHBOARD, '/docs'];
/** The metrics of all tenants. */
const METRICS = '/metrics';

/** The tenant of a request, as a parameter of its handler. */
export const Tenant = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().tenant,
);

/**
 * Requires an API key and sets the tenant of the request. The matched route decides, not the path of the request, because a path has many
 * spellings.
 */
export function guardAccess(fastify: FastifyInstance, keys: readonly ApiKey[]): void {
  const identify = createAccessCheck(keys);
  fastify.decorateRequest('tenant', DEFAULT_TENANT);
  fastify.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const route = request.routeOptions.url ?? '';
    if (OPEN_ROUTES.has(route)) return;
    const { authorization } = request.headers;
    const byPassword = PAGES_FOR_PEOPLE.some((page) => route.startsWith(page));
    const caller = identify({ authorization, byPassword });
    if ('refused' in caller) throw withoutKey(byPassword, reply);
    if ((route.startsWith(DASHBOARD) || route === METRICS) && !isOperator(caller)) {
      const detail = 'This shows the data of all tenants and needs a key that has no tenant in ERRAND_API_KEYS';
      throw new ProblemError('forbidden', detail);
    }
    request.tenant = caller.tenant;
  });
}

function withoutKey(byPassword: boolean, reply: FastifyReply): ProblemError {
  void reply.header('www-authenticate', byPassword ? 'Basic realm="Errand", charset="UTF-8"' : 'Bearer');
  return new ProblemError(
    'unauthorized',
    `Present one of the keys of ERRAND_API_KEYS as \`Authorization: Bearer <key>\`${byPassword ? ', or as the password of any user' : ''}`,
  );
}
