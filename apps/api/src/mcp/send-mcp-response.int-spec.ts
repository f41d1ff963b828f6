import fastify, { type FastifyInstance } from 'fastify';
import type { McpExchange } from './mcp-exchange.js';
import { sendMcpResponse } from './send-mcp-response.js';

const exchange: McpExchange = {
  scope: { tenant: 'default', reach: 'default', showsTenant: false },
  agent: undefined,
  trace: undefined,
  isBusy: () => false,
  list: undefined,
};
const REFUSAL = {
  status: 429,
  code: 'queue_full',
  body: { detail: 'The queue is full', errors: [] },
  retryAfter: 3,
} as const;
const MESSAGE = { jsonrpc: '2.0', id: 5, result: {} };
const open: FastifyInstance[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

/** A server that sends this response, with keep-alives every 10 ms before it begins. @returns its address */
async function serve(response: Promise<Response>, given: McpExchange = exchange): Promise<string> {
  const server = fastify();
  open.push(server);
  server.post('/', (_request, reply) => sendMcpResponse(reply, given, response, 10));
  return server.listen({ port: 0, host: '127.0.0.1' });
}
const post = (url: string) => fetch(url, { method: 'POST' });

/** A response that comes when the test settles it. */
function lateResponse() {
  let settle: ((response: Response) => void) | undefined;
  const promise = new Promise<Response>((resolve) => (settle = resolve));
  return { promise, settle: (response: Response) => settle?.(response) };
}

/** An event stream as the SDK makes it. */
function streamOf(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
}

describe('The response to an MCP request', () => {
  it('A response that comes at once is sent as it is', async () => {
    const response = await post(await serve(Promise.resolve(Response.json(MESSAGE, { status: 404 }))));
    expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
      404,
      'application/json',
      MESSAGE,
    ]);
  });

  it('A response that comes late is an event behind keep-alives', async () => {
    const { promise, settle } = lateResponse();
    const response = await post(await serve(promise));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      if (text === '') settle(Response.json(MESSAGE));
      text += chunk;
    }
    expect(text).toMatch(/^(: keepalive\n\n)+event: message\ndata: {.*"id":5.*}\n\n$/);
  });

  it('A stream that begins late continues the stream of keep-alives', async () => {
    const { promise, settle } = lateResponse();
    const response = await post(await serve(promise));
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      if (text === '') settle(streamOf('event: message\ndata: {}\n\n'));
      text += chunk;
    }
    expect(text).toMatch(/^(: keepalive\n\n)+event: message\ndata: {}\n\n$/);
  });

  it.each([
    ['a whole response', () => Response.json({ ...MESSAGE, error: {} })],
    ['an event stream', () => streamOf(`event: message\ndata: ${JSON.stringify(MESSAGE)}\n\n`)],
  ])('A refusal replaces %s, with its status and the id of the request', async (_what, make) => {
    const response = await post(await serve(Promise.resolve(make()), { ...exchange, refusal: REFUSAL }));
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3']);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 5,
      error: { code: -32603, message: 'The queue is full', data: { code: 'queue_full' } },
    });
  });

  it('A response that fails closes the connection', async () => {
    await expect(post(await serve(Promise.reject(new Error('broken'))))).rejects.toThrow();
  });
});
