import { gzipSync } from 'node:zlib';
import { sendRaw } from '../../../test/support/raw-exchange.js';
import { useStack } from '../../../test/support/start-stack.js';

const stack = useStack();

/** Sends bytes unchanged. Resolves with the status code and the problem of the response. */
async function send(...bytes: (string | Buffer)[]): Promise<{ status: number; problem: Record<string, unknown> }> {
  const { status, headers, body } = await sendRaw(stack.url, ...bytes);
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  return { status, problem: JSON.parse(body) as Record<string, unknown> };
}

const get = (path: string, ...headers: string[]) =>
  send([`GET ${path} HTTP/1.1`, 'host: localhost', 'connection: close', ...headers, '', ''].join('\r\n'));

function post(body: Buffer, ...headers: string[]) {
  const lines = ['POST /v1/invocations HTTP/1.1', 'host: localhost', 'connection: close', ...headers];
  return send([...lines, `content-length: ${body.length}`, '', ''].join('\r\n'), body);
}

const ECHO = '{"toolId":"core:echo","arguments":{"value":1}}';

describe('Requests that cannot be read', () => {
  it.each<[string, () => ReturnType<typeof send>, number, RegExp]>([
    ['an invalid path', () => get('/v1/invocations/%zz'), 400, /%zz/],
    ['a path with a very long part', () => get(`/v1/invocations/${'a'.repeat(5_000)}`), 414, /2400 characters/],
    ['an unknown method', () => send('FOO / HTTP/1.1\r\nhost: localhost\r\n\r\n'), 400, /not valid HTTP/],
    ['a control character in a header', () => get('/healthz', 'x-a: \u0001'), 400, /not valid HTTP/],
    ['headers that are too long', () => get('/healthz', `x-a: ${'a'.repeat(100_000)}`), 431, /too large/],
    [
      'a compressed body',
      () => post(gzipSync('{}'), 'content-type: application/json', 'content-encoding: gzip'),
      415,
      /not as 'gzip'/,
    ],
    ...['utf-7', 'UTF-16', '"iso-8859-1"', '', 'utf-8; charset=utf-7'].map(
      (charset): [string, () => ReturnType<typeof send>, number, RegExp] => [
        `a body in the charset ${charset}`,
        () => post(Buffer.from(ECHO), `content-type: application/json; charset=${charset}`),
        415,
        /UTF-8/,
      ],
    ),
    [
      'a body with two content types',
      () => post(Buffer.from(ECHO), 'content-type: application/json', 'content-type: application/json; charset=utf-7'),
      415,
      /JSON/,
    ],
    ['a body of another JSON type', () => post(Buffer.from(ECHO), 'content-type: application/ld+json'), 415, /as JSON/],
    [
      'a body that is compressed twice',
      () => post(gzipSync('{}'), 'content-type: application/json', 'content-encoding: identity, br'),
      415,
      /not as 'identity, br'/,
    ],
    ['a form', () => post(Buffer.from('a=b'), 'content-type: application/x-www-form-urlencoded'), 415, /as JSON/],
  ])('A request with %s gets a problem as its response', async (_, ask, status, detail) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(answer.problem).toMatchObject({ status, code: 'invalid_request', detail: expect.stringMatching(detail) });
  });
});

describe('A body in UTF-8', () => {
  it.each(['utf-8', 'UTF8', '"Utf-8"', 'us-ascii'])('A body may declare its charset as %s', async (charset) => {
    const headers = { 'content-type': `application/json; charset=${charset}` };
    const response = await fetch(`${stack.url}/v1/invocations`, { method: 'POST', headers, body: ECHO });
    expect(response.status).toBe(202);
  });
});

it.each([
  ['254 characters', `${'a.'.repeat(126)}ab`, 'at most 253'],
  ['a part of 64 characters', `${'a'.repeat(64)}.example`, 'at most 63'],
])('A callback to a host with %s is refused', async (_, host, reason) => {
  const request = { ...JSON.parse(ECHO), callback: { url: `https://${host}/hook` } };
  const detail = expect.stringContaining(reason);
  expect(await stack.client.post('/v1/invocations', request)).toMatchObject({
    status: 422,
    body: { code: 'unsupported_callback_url', detail, errors: [{ path: '/callback/url', message: detail }] },
  });
});

describe('A method that a path does not have', () => {
  it.each([
    ['PUT', '/v1/invocations', 'GET, POST'],
    ['DELETE', '/v1/invocations/inv_1', 'GET'],
    ['GET', '/v1/invocations/inv_1/cancel?wait=1', 'POST'],
    ['POST', '/v1/tools/prompt', 'GET'],
    ['POST', '/healthz', 'GET'],
  ])('The request %s %s gets 405 with the allowed methods', async (method, path, allowed) => {
    const response = await fetch(stack.url + path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allowed]);
    expect(await response.json()).toMatchObject({ status: 405, code: 'invalid_request' });
  });

  it('OPTIONS returns the allowed methods and is never refused', async () => {
    const response = await fetch(`${stack.url}/v1/invocations`, { method: 'OPTIONS' });
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, POST, OPTIONS']);
  });

  it('An unknown path gets 404', async () => {
    const response = await fetch(`${stack.url}/v1/invokations`, { method: 'PUT' });
    expect([response.status, response.headers.get('allow')]).toEqual([404, null]);
  });
});

describe('Misspelt parameters', () => {
  it.each([
    ['?wiat=20', "did you mean 'wait'?"],
    ['?wait=1&wait=2', 'wait must be a string'],
    ['/logs?stp=0', "did you mean 'step'?"],
    ['/result?ofset=0', "did you mean 'offset'?"],
  ])('The query %s is refused with a suggestion', async (query, hint) => {
    const answer = await stack.client.get(`/v1/invocations/inv_00000000000000000000000000${query}`);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', detail: expect.stringContaining(hint) },
    });
  });
});
