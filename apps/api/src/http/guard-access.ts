import { DEFAULT_TENANT, isOperator, createAccessCheck, type ApiKey } from '@errand/platform';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from './problem-error.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose data the caller sees. */
    tenant: string;
  }
}

const OPEN_ROUTES = new Set(['/healthz', '/readyz']);
/** Pages for people: a browser asks them for a password, and sends it with every request below. */
const PAGES_FOR_PEOPLE = '/admin/';
/** Figures of all tenants. */
const FIGURES = '/metrics';

/** The tenant of a request, as a parameter of its handler. */
export const Tenant = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().tenant,
);

/**
 * Lets in who may come, and notes for which tenant; whoever else, by whatever path, is refused. The route that the router has found
 * decides, not the path as it was written: that can be spelled in many ways.
 */
export function guardAccess(fastify: FastifyInstance, keys: readonly ApiKey[]): void {
  const checkAccess = createAccessCheck(keys);
  fastify.decorateRequest('tenant', DEFAULT_TENANT);
  fastify.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const route = request.routeOptions.url ?? '';
    if (OPEN_ROUTES.has(route)) return;
    const { authorization } = request.headers;
    const byPassword = route.startsWith(PAGES_FOR_PEOPLE);
    const decision = checkAccess({ authorization, byPassword });
    if ('refused' in decision) throw withoutKey(byPassword, reply);
    if ((byPassword || route === FIGURES) && !isOperator(decision)) {
      const detail =
        'This shows the data of all tenants; it is for keys that stand in ERRAND_API_KEYS without a tenant';
      throw new ProblemError('forbidden', detail);
    }
    request.tenant = decision.tenant;
  });
}

function withoutKey(byPassword: boolean, reply: FastifyReply): ProblemError {
  void reply.header('www-authenticate', byPassword ? 'Basic realm="Errand", charset="UTF-8"' : 'Bearer');
  return new ProblemError(
    'unauthorized',
    `Present one of the keys of ERRAND_API_KEYS as \`Authorization: Bearer <key>\`${byPassword ? ', or as the password of any user' : ''}`,
  );
}
