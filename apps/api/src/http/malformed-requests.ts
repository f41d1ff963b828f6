import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OPENAPI } from './openapi/document.js';
import { ProblemError } from './problem-error.js';
import { sendProblem, toProblem } from './problem.filter.js';

/** The name of a session has 256 characters at most, and each can take 9 in a path. */
const LONGEST_PART = 2_400;

/** Options of Fastify. An error before the routing becomes a problem like any other. */
export const MALFORMED_REQUESTS = {
  routerOptions: { maxParamLength: LONGEST_PART },
  frameworkErrors(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
    const isTooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH';
    const detail = isTooLong
      ? `A part of the path has more than ${LONGEST_PART} characters`
      : error.message.slice(0, 400);
    sendProblem(reply, toProblem(new ProblemError('invalid_request', detail, { status: error.statusCode ?? 400 })));
  },
  /** The bounded server responds to unreadable requests. */
  clientErrorHandler(): void {},
};

/** Refuses compressed bodies with a clear message. Otherwise they would be reported as malformed JSON. */
export function refuseEncodedBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ headers: { 'content-encoding': encoding } }, _reply, done) => {
    if (encoding === undefined || encoding.toLowerCase() === 'identity') return done();
    throw new ProblemError('invalid_request', `Send the body as it is, not as '${encoding.slice(0, 40)}'`, {
      status: 415,
    });
  });
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Every path of the API, as a pattern, with its methods. */
const ROUTES = Object.entries(OPENAPI.paths).map(([path, operations]) => ({
  pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
  methods: METHODS.filter((method) => Object.hasOwn(operations, method)).map((method) => method.toUpperCase()),
}));

/** The methods of a path; an empty list for an unknown path. */
export function methodsOf(path: string): string[] {
  const matching = ROUTES.filter(({ pattern }) => pattern.test(path));
  return [...new Set(matching.flatMap(({ methods }) => methods))];
}

/** Refuses a wrong method of a known path with 405, and lists the right ones in `Allow`. */
export function refuseWrongMethods(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ is404, url, method }, reply, done) => {
    if (!is404) return done();
    const [path = ''] = url.split('?', 1);
    const allowed = methodsOf(path);
    if (allowed.length === 0) return done();
    void reply.header('allow', allowed.join(', '));
    const detail = `${method} is not a method of this path; use ${allowed.join(' or ')}`;
    throw new ProblemError('invalid_request', detail, { status: 405 });
  });
}
