import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { useStack } from '../../../test/support/start-stack.js';

const stack = useStack();

/** Sends bytes as they are; resolves with the status and what the body says when the server has closed. */
async function send(...bytes: (string | Buffer)[]): Promise<{ status: number; problem: Record<string, unknown> }> {
  const { hostname, port } = new URL(stack.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  for (const part of bytes) socket.write(part);
  await once(socket, 'close');
  const [head, body] = text.split('\r\n\r\n') as [string, string];
  expect(head).toMatch(/^content-type: application\/problem\+json/im);
  return { status: Number(head.split(' ')[1]), problem: JSON.parse(body) as Record<string, unknown> };
}

const get = (path: string, ...headers: string[]) =>
  send([`GET ${path} HTTP/1.1`, 'host: localhost', 'connection: close', ...headers, '', ''].join('\r\n'));

function post(body: Buffer, ...headers: string[]) {
  const lines = ['POST /v1/invocations HTTP/1.1', 'host: localhost', 'connection: close', ...headers];
  return send([...lines, `content-length: ${body.length}`, '', ''].join('\r\n'), body);
}

describe('a request that cannot be read is a problem like any other', () => {
  it.each<[string, () => ReturnType<typeof send>, number, RegExp]>([
    ['a path that is none', () => get('/v1/invocations/%zz'), 400, /%zz/],
    ['a path with a very long part', () => get(`/v1/invocations/${'a'.repeat(5_000)}`), 414, /300 characters/],
    ['a method that is none', () => send('FOO / HTTP/1.1\r\nhost: localhost\r\n\r\n'), 400, /not valid HTTP/],
    ['a control character in a header', () => get('/healthz', 'x-a: \u0001'), 400, /not valid HTTP/],
    ['headers without end', () => get('/healthz', `x-a: ${'a'.repeat(100_000)}`), 431, /too large/],
    [
      'a compressed body',
      () => post(gzipSync('{}'), 'content-type: application/json', 'content-encoding: gzip'),
      415,
      /not as 'gzip'/,
    ],
    ['a form', () => post(Buffer.from('a=b'), 'content-type: application/x-www-form-urlencoded'), 415, /as JSON/],
  ])('%s', async (_, ask, status, detail) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(answer.problem).toMatchObject({ status, code: 'invalid_request', detail: expect.stringMatching(detail) });
  });
});

describe('a method that a path does not have', () => {
  it.each([
    ['PUT', '/v1/invocations', 'GET, POST'],
    ['DELETE', '/v1/invocations/inv_1', 'GET'],
    ['GET', '/v1/invocations/inv_1/cancel?wait=1', 'POST'],
    ['OPTIONS', '/v1/tools/core:echo', 'GET'],
    ['POST', '/v1/tools/prompt', 'GET'],
    ['POST', '/healthz', 'GET'],
  ])('%s %s is 405, with those that it has', async (method, path, allowed) => {
    const response = await fetch(stack.url + path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allowed]);
    expect(await response.json()).toMatchObject({ status: 405, code: 'invalid_request' });
  });

  it('of a path that is none is 404', async () => {
    const response = await fetch(`${stack.url}/v1/invokations`, { method: 'PUT' });
    expect([response.status, response.headers.get('allow')]).toEqual([404, null]);
  });
});

describe('a parameter that is misspelt is not passed over', () => {
  it.each([
    ['?wiat=20', "did you mean 'wait'?"],
    ['?wait=1&wait=2', 'wait must be a string'],
    ['/logs?stp=0', "did you mean 'step'?"],
    ['/result?ofset=0', "did you mean 'offset'?"],
  ])('%s', async (query, hint) => {
    const answer = await stack.client.get(`/v1/invocations/inv_00000000000000000000000000${query}`);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', detail: expect.stringContaining(hint) },
    });
  });
});
