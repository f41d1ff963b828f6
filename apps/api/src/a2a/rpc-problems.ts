import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { idOf, RPC } from './check-envelope.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A problem of the route is sent as a JSON-RPC error. */
    isRpc?: boolean;
  }
}

/** Sends each problem of a route as a JSON-RPC error, with the status code and headers of the problem. */
export const RpcProblems = (): MethodDecorator => RouteConfig({ isRpc: true });

/** Makes the problems of the routes with `RpcProblems` JSON-RPC errors, also those from before their handlers. */
export function sendRpcProblems(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    if (route.config?.isRpc !== true) return;
    route.onSend = [route.onSend ?? []].flat();
    route.onSend.unshift((request, reply, payload: unknown, done) => done(null, toRpc(request, reply, payload)));
  });
}

function toRpc(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const type = reply.getHeader('content-type');
  if (typeof payload !== 'string' || !String(type).startsWith('application/problem+json')) return payload;
  const problem = JSON.parse(payload) as { status: number; code: string; detail?: string; title: string };
  void reply.header('content-type', 'application/json; charset=utf-8').removeHeader('content-length');
  const code = codeOf(problem, request.body !== undefined);
  const error = { code, message: problem.detail ?? problem.title, data: [problem] };
  return JSON.stringify({ jsonrpc: '2.0', id: idOf(request.body), error });
}

/** The body of a request that could not be parsed is undefined. */
function codeOf({ status }: { status: number }, wasParsed: boolean): number {
  if (status >= 500 || status === 429) return RPC.internal;
  if (status === 400 && !wasParsed) return RPC.parse;
  return status === 404 ? RPC.invalidParams : RPC.invalidRequest;
}
