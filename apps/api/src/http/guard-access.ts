import { judgeCallers, type Access } from '@errand/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from './problem-error.js';

const OPEN_ROUTES = new Set(['/healthz', '/readyz']);
/** Pages for people: a browser asks them for a password, and sends it with every request below. */
const PAGES_FOR_PEOPLE = '/admin/';

/**
 * Lets in who may come; whoever else, by whatever path, is refused. The route that the router has found decides, not the path as it
 * was written: that can be spelled in many ways.
 */
export function guardAccess(fastify: FastifyInstance, access: Access): void {
  const judge = judgeCallers(access);
  fastify.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const route = request.routeOptions.url ?? '';
    if (OPEN_ROUTES.has(route)) return;
    const { authorization } = request.headers;
    const byPassword = route.startsWith(PAGES_FOR_PEOPLE);
    const refusal = judge({ authorization, hostname: request.hostname, byPassword });
    if (refusal === 'name') {
      const detail = `This API answers to this machine only, not to the name '${request.hostname}'`;
      throw new ProblemError('forbidden', detail);
    }
    if (refusal === undefined) return;
    void reply.header('www-authenticate', byPassword ? 'Basic realm="Errand", charset="UTF-8"' : 'Bearer');
    throw new ProblemError(
      'unauthorized',
      `Present one of the keys of ERRAND_API_KEYS as \`Authorization: Bearer <key>\`${byPassword ? ', or as the password of any user' : ''}`,
    );
  });
}
