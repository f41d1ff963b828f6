import { createLogger } from '@errand/platform';
import { once } from 'node:events';
import { createServer, request as sendRequest, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { DirectListener } from './direct-listener.js';
import { ProblemFilter } from './problem.filter.js';
import { ProblemError } from './problem-error.js';

const BODY_LIMIT = 100;
const JSON_TYPE = { 'content-type': 'application/json' };

interface Answer {
  status: number | undefined;
  way?: string;
  body?: unknown;
  code?: string;
}

/** A server whose direct handler returns the body that it got, beside a stand-in for Fastify. */
async function serve() {
  const measured: string[] = [];
  const listener = new DirectListener(new Map([['/v1/invocations', async ({ body }) => ({ way: 'direct', body })]]), {
    admit: ({ headers }) => {
      if (headers.authorization === 'wrong') throw new ProblemError('unauthorized', 'no');
    },
    problems: new ProblemFilter(createLogger('api', 'fatal')),
    measure: (method, route, status) => void measured.push(`${method} ${route} ${status}`),
    bodyLimit: BODY_LIMIT,
  });
  const server = createServer((request, response) => {
    if (listener.take(request, response)) return;
    const begin = { isRead: request.readableDidRead };
    request.resume().on('end', () => response.end(JSON.stringify({ way: begin.isRead ? 'read' : 'fastify' })));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (
    headers: OutgoingHttpHeaders,
    text: string,
    { method = 'POST', path = '/v1/invocations' } = {},
  ) => {
    const length = headers['transfer-encoding'] === undefined && { 'content-length': Buffer.byteLength(text) };
    const sent = sendRequest({ port, method, path, headers: { ...headers, ...length } }).end(text);
    const [response] = await once(sent, 'response');
    return { status: response.statusCode, ...((await json(response)) as object) } as Answer;
  };
  return { server, port, listener, ask, measured, stop: () => server.close().closeAllConnections() };
}

describe('The direct listener', () => {
  let served: Awaited<ReturnType<typeof serve>>;
  beforeEach(async () => void (served = await serve()));
  afterEach(() => served.stop());

  it('A common submission is answered without Fastify, and measured', async () => {
    expect(await served.ask(JSON_TYPE, '{"toolId":"a:b"}')).toEqual({
      status: 200,
      way: 'direct',
      body: { toolId: 'a:b' },
    });
    expect(await served.ask({ 'content-type': 'application/json; charset=utf-8' }, '')).toMatchObject({ body: {} });
    expect(served.measured).toEqual(['POST /v1/invocations 200', 'POST /v1/invocations 200']);
  });

  it.each<[string, OutgoingHttpHeaders, string, object]>([
    ['a query', JSON_TYPE, '{}', { path: '/v1/invocations?dryRun=true' }],
    ['another path', JSON_TYPE, '{}', { path: '/v1/invocations/' }],
    ['another method', JSON_TYPE, '{}', { method: 'PUT' }],
    ['a cookie', { ...JSON_TYPE, cookie: 'a=b' }, '{}', {}],
    ['an encoded body', { ...JSON_TYPE, 'content-encoding': 'gzip' }, '{}', {}],
    ['a body of unknown length', { ...JSON_TYPE, 'transfer-encoding': 'chunked' }, '{}', {}],
    ['a body above the limit', JSON_TYPE, JSON.stringify('x'.repeat(BODY_LIMIT)), {}],
    ['another type', { 'content-type': 'text/plain' }, '{}', {}],
    ['no type', {}, '{}', {}],
  ])('Fastify gets a request with %s, before its body is read', async (_what, headers, text, target) => {
    expect(await served.ask(headers, text, target)).toEqual({ status: 200, way: 'fastify' });
  });

  it('A request that the guard refuses, and a body that is not JSON, become problems', async () => {
    expect(await served.ask({ ...JSON_TYPE, authorization: 'wrong' }, '{}')).toMatchObject({
      status: 401,
      code: 'unauthorized',
    });
    expect(await served.ask(JSON_TYPE, '{')).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('A client that disconnects within its body reaches no handler, and the server goes on', async () => {
    const headers = { ...JSON_TYPE, 'content-length': 20 };
    const sent = sendRequest({ port: served.port, method: 'POST', path: '/v1/invocations', headers });
    sent.on('error', () => {}).write('{');
    await once(served.server, 'request');
    sent.destroy();
    expect(await served.ask(JSON_TYPE, '{}')).toMatchObject({ way: 'direct' });
    expect(served.measured).toEqual(['POST /v1/invocations 200']);
  });

  it('After it was closed, every request goes to Fastify', async () => {
    served.listener.close();
    expect(await served.ask(JSON_TYPE, '{}')).toMatchObject({ way: 'fastify' });
  });
});
