import type { INestApplicationContext, Type } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { BatchesController } from './batches.controller.js';
import { ReadInvocationQuery } from './control-requests.js';
import type { PlainReply } from './plain-reply.js';
import { InvocationsController } from './invocations.controller.js';
import { RequestPipe } from './request-pipe.js';
import { BatchRequest, SubmitQuery, SubmitRequest } from './submission-requests.js';
import { requireNoQuery } from './takes-no-query.js';

/** What submissions need of a request. Fastify's request has it, too. */
export type DirectRequest = Pick<FastifyRequest, 'method' | 'raw' | 'headers' | 'query' | 'body' | 'scope' | 'caller'>;

export type DirectHandler = (request: DirectRequest, reply: PlainReply) => Promise<object | void>;
type FastifyHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<object | void>;

const pipe = new RequestPipe();
const headerOf = (request: DirectRequest, name: string) => request.headers[name] as string | undefined;

/** Checks a body or query as Nest does. @throws ProblemError */
function check<T>(type: 'body' | 'query', value: unknown, dto: Type<T>): T {
  return pipe.transform(value, { type, metatype: dto }) as T;
}

/**
 * The handlers of submissions by path. They call the same methods of the same controllers as Nest, with the same arguments, but without its
 * pipeline of guards, pipes and interceptors for each request (ADR 117). A test compares both ways.
 */
export function submissionHandlers(app: INestApplicationContext): ReadonlyMap<string, DirectHandler> {
  const [invocations, batches] = [app.get(InvocationsController), app.get(BatchesController)];
  return new Map<string, DirectHandler>([
    [
      '/v1/invocations',
      (request, reply) =>
        invocations.submit(
          request.scope,
          check('body', request.body, SubmitRequest),
          headerOf(request, 'prefer'),
          headerOf(request, 'idempotency-key'),
          headerOf(request, 'traceparent'),
          reply,
          check('query', request.query, SubmitQuery),
          request.caller,
        ),
    ],
    [
      '/v1/invocations/batch',
      async (request, reply) => {
        requireNoQuery(request);
        return batches.submit(
          request.scope,
          check('body', request.body, BatchRequest),
          headerOf(request, 'prefer'),
          headerOf(request, 'idempotency-key'),
          headerOf(request, 'traceparent'),
          reply,
        );
      },
    ],
  ]);
}

/** The handlers of the routes with the most requests, by method and path. */
function directHandlers(app: INestApplicationContext): ReadonlyMap<string, FastifyHandler> {
  const invocations = app.get(InvocationsController);
  const submissions = [...submissionHandlers(app)].map(([path, handler]) => [`POST ${path}`, handler] as const);
  return new Map<string, FastifyHandler>([
    ...submissions,
    [
      'GET /v1/invocations/:id',
      (request, reply) => {
        const { id } = request.params as { id: string };
        return invocations.read(request.scope, id, check('query', request.query, ReadInvocationQuery), reply);
      },
    ],
  ]);
}

/** Makes the routes with the most requests direct. Call it before Nest registers its routes. */
export function serveDirectly(fastify: FastifyInstance, app: INestApplicationContext): void {
  const handlers = directHandlers(app);
  fastify.addHook('onRoute', (route) => {
    const handler = handlers.get(`${[route.method].flat().join()} ${route.url}`);
    if (handler) route.handler = directly(handler, route.handler);
  });
}

/** Passes errors on to the error handler of Nest. Nest refuses requests with an empty parameter. */
function directly(handler: FastifyHandler, throughNest: RouteHandlerMethod): RouteHandlerMethod {
  return function (request, reply) {
    if (Object.values(request.params as Record<string, string>).includes(''))
      return throughNest.call(this, request, reply);
    handler(request, reply).then(
      (body) => body !== undefined && void reply.send(body),
      (error: unknown) => void reply.send(error),
    );
    return undefined;
  };
}
