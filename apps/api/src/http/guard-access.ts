import { DEFAULT_TENANT, isOperator, judgeCallers, type Access, type Judged } from '@errand/platform';
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
export function guardAccess(fastify: FastifyInstance, access: Access): void {
  const judge = judgeCallers(access);
  fastify.decorateRequest('tenant', DEFAULT_TENANT);
  fastify.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const route = request.routeOptions.url ?? '';
    if (OPEN_ROUTES.has(route)) return;
    const { authorization } = request.headers;
    const byPassword = route.startsWith(PAGES_FOR_PEOPLE);
    const judged = judge({ authorization, hostname: request.hostname, byPassword });
    if ('refusal' in judged) throw refusalOf(judged.refusal, { byPassword, request, reply });
    if ((byPassword || route === FIGURES) && !isOperator(judged)) {
      const detail =
        'This shows the data of all tenants; it is for keys that stand in ERRAND_API_KEYS without a tenant';
      throw new ProblemError('forbidden', detail);
    }
    request.tenant = judged.tenant;
  });
}

interface Refused {
  byPassword: boolean;
  request: FastifyRequest;
  reply: FastifyReply;
}

function refusalOf(
  refusal: Extract<Judged, { refusal: unknown }>['refusal'],
  { byPassword, request, reply }: Refused,
): ProblemError {
  if (refusal === 'name') {
    const detail = `This API answers to this machine only, not to the name '${request.hostname}'`;
    return new ProblemError('forbidden', detail);
  }
  void reply.header('www-authenticate', byPassword ? 'Basic realm="Errand", charset="UTF-8"' : 'Bearer');
  return new ProblemError(
    'unauthorized',
    `Present one of the keys of ERRAND_API_KEYS as \`Authorization: Bearer <key>\`${byPassword ? ', or as the password of any user' : ''}`,
  );
}
