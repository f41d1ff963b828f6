import type { ServerResponse } from 'node:http';
import type { Json, JsonObject } from '@errand/contracts';
import { createGuardedFetch, parseAllowList } from '@errand/platform';
import { runCoreNode } from '../test/run-core-node.js';
import { serve, type Seen } from '../test/serve.js';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

/** Content types and bodies, by path. */
const BODIES: Record<string, [type: string | undefined, body: string | Buffer]> = {
  '/json': ['application/json; charset=utf-8', '{"a":[1,null,"é😀"]}'],
  '/problem': ['application/problem+json', '{"title":"no"}'],
  '/text': ['text/plain', 'é😀'],
  '/latin': ['text/plain; charset="iso-8859-1"', Buffer.from([0xe9])],
  '/xml': ['application/xml', '<a/>'],
  '/png': ['image/png', PNG],
  '/untyped': [undefined, 'text'],
  '/untyped-bytes': [undefined, PNG],
  '/empty': ['application/json', ''],
  '/bad-json': ['application/json', '{a'],
  '/bad-text': ['text/plain', PNG],
  '/deep': ['application/json', '['.repeat(65) + ']'.repeat(65)],
};

function answer({ path, method, headers, body }: Seen, response: ServerResponse): void {
  const [type, bytes] = BODIES[path] ?? [];
  if (bytes !== undefined) return void response.writeHead(200, type ? { 'content-type': type } : {}).end(bytes);
  if (path === '/cookies')
    return void response.writeHead(204, { 'set-cookie': ['a=1', 'b=2'], 'x-own': ['1', '2'] }).end();
  if (path === '/redirect') return void response.writeHead(302, { location: '/text' }).end();
  if (path === '/away') return void response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
  if (path === '/hang') return;
  response.writeHead(path === '/missing' ? 404 : 200, { 'content-type': 'application/json', 'x-own': 'yes' });
  response.end(JSON.stringify({ method, type: headers['content-type'] ?? null, own: headers['x-own'] ?? null, body }));
}

let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => (server = await serve(answer)));
afterAll(() => server.close());

const fetch = createGuardedFetch({ allow: parseAllowList('127.0.0.1'), maxBytes: 100_000 });
const request = async (path: string, more: JsonObject = {}) =>
  (await runCoreNode('core:http', { url: server.url + path, ...more }, { fetch })) as {
    status: number;
    headers: Record<string, string>;
    body: Json;
  };

describe('core:http', () => {
  it.each<[string, Json]>([
    ['/json', { a: [1, null, 'é😀'] }],
    ['/problem', { title: 'no' }],
    ['/text', 'é😀'],
    ['/latin', 'é'],
    ['/xml', '<a/>'],
    ['/png', PNG.toString('base64')],
    ['/untyped', 'text'],
    ['/untyped-bytes', PNG.toString('base64')],
    ['/empty', null],
  ])('The response of %s is read as %j', async (path, body) => {
    await expect(request(path)).resolves.toMatchObject({ status: 200, body });
  });

  it.each<[string, string, Json]>([
    ['/json', 'text', '{"a":[1,null,"é😀"]}'],
    ['/json', 'base64', Buffer.from('{"a":[1,null,"é😀"]}').toString('base64')],
    ['/bad-json', 'text', '{a'],
    ['/untyped', 'text', 'text'],
  ])('The response of %s is read as %s if responseType says so', async (path, responseType, body) => {
    await expect(request(path, { responseType })).resolves.toMatchObject({ body });
  });

  it.each<[JsonObject, JsonObject]>([
    [
      { method: 'post', body: { a: 'é' } },
      { method: 'POST', type: 'application/json', body: '{"a":"é"}' },
    ],
    [
      { method: 'PUT', body: 'text' },
      { method: 'PUT', type: 'text/plain;charset=UTF-8', body: 'text' },
    ],
    [
      { method: 'PATCH', body: [1], headers: { 'Content-Type': 'application/x' } },
      { type: 'application/x', body: '[1]' },
    ],
    [
      { method: 'DELETE', headers: { 'x-own': 7 } },
      { method: 'DELETE', own: '7', body: '' },
    ],
    [{ method: 'POST', body: null }, { body: 'null' }],
  ])('A request is sent for %j', async (args, expected) => {
    await expect(request('/echo', args)).resolves.toMatchObject({ status: 200, body: expected });
  });

  it('The outputs have the status code and the headers for every status code', async () => {
    await expect(request('/missing')).resolves.toMatchObject({ status: 404, headers: { 'x-own': 'yes' } });
    await expect(request('/cookies')).resolves.toEqual({
      status: 204,
      headers: expect.objectContaining({ 'set-cookie': ['a=1', 'b=2'], 'x-own': '1, 2' }),
      body: null,
    });
    await expect(request('/json', { method: 'HEAD' })).resolves.toMatchObject({ status: 200, body: null });
  });

  it('Redirects are followed only on request and only to allowed addresses', async () => {
    await expect(request('/redirect')).resolves.toMatchObject({
      status: 302,
      headers: { location: '/text' },
      body: null,
    });
    await expect(request('/redirect', { followRedirects: true })).resolves.toMatchObject({ status: 200, body: 'é😀' });
    await expect(request('/away', { followRedirects: true })).rejects.toMatchObject({ type: 'SecurityError' });
  });

  it.each<[string, JsonObject, string, string]>([
    ['/bad-json', {}, 'NodeError', 'the response is not JSON'],
    ['/bad-text', {}, 'NodeError', 'the response is not text in utf-8; read it with responseType base64'],
    ['/deep', {}, 'NodeError', 'deeper than 64'],
    ['/json', { method: 'BREW' }, 'ParameterValidationError', "'method' must be one of GET"],
    ['/json', { method: 'GET', body: 'x' }, 'ParameterValidationError', 'a GET request has no body'],
    ['/json', { headers: { Host: 'evil' } }, 'ParameterValidationError', "the header 'Host' cannot be set"],
    ['/json', { headers: { 'transfer-encoding': 'chunked' } }, 'ParameterValidationError', 'cannot be set'],
    ['/json', { headers: { 'a b': 'x' } }, 'ParameterValidationError', "the header 'a b' has a name or value"],
    ['/json', { headers: { a: 'x\r\nb: y' } }, 'ParameterValidationError', "the header 'a' has a name or value"],
    ['/json', { timeoutMs: 0 }, 'ParameterValidationError', 'timeoutMs'],
    ['/hang', { timeoutMs: 50 }, 'TimeoutError', 'no whole response within 50 ms'],
  ])('The request %s with %j is refused: %s %s', async (path, args, type, message) => {
    await expect(request(path, args)).rejects.toMatchObject({ type, message: expect.stringContaining(message) });
  });

  it.each([
    'http://169.254.169.254/latest/',
    'http://localhost:1/',
    'file:///etc/passwd',
    'http://u:p@127.0.0.1/',
    'nowhere',
  ])('The address %s is refused', async (url) => {
    await expect(runCoreNode('core:http', { url }, { fetch })).rejects.toMatchObject({ type: 'SecurityError' });
  });

  it('A cancelled request ends', async () => {
    const stop = new AbortController();
    const asked = server.seen.length;
    const running = runCoreNode('core:http', { url: `${server.url}/hang` }, { fetch, signal: stop.signal });
    const ended = expect(running).rejects.toMatchObject({ type: 'CancelledError' });
    while (server.seen.length === asked) await new Promise(setImmediate);
    stop.abort();
    await ended;
  });

  it('Every request is refused if the operator allows no network access', async () => {
    await expect(runCoreNode('core:http', { url: server.url })).rejects.toMatchObject({ type: 'SecurityError' });
  });
});
