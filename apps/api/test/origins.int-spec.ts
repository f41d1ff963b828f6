import { readAnswer, openRaw, requestText, sendRaw } from '../../../test/support/raw-exchange.js';
import { useStack } from '../../../test/support/start-stack.js';
import { OPENAPI } from '../src/http/openapi/document.js';

const ALLOWED = 'https://app.example';
const stack = useStack({
  env: {
    ERRAND_ALLOW_NO_AUTH: 'true',
    ERRAND_ALLOWED_ORIGINS: `${ALLOWED} http://api:3000`,
    ERRAND_PUBLIC_URL: 'https://errand.example',
  },
});

const ask = (line: string, ...headers: string[]) => sendRaw(stack.url, requestText(`${line} HTTP/1.1`, headers));
/** The host and port of the API, as a browser on this machine uses them. */
const own = () => new URL(stack.url).host;

/** The stream of everything has no end. With a wrong query, its route answers at once. */
const addressOf = (path: string) => (path === '/v1/events' ? `${path}?topics=x` : path.replaceAll(/\{[^}]+\}/g, 'x'));

/** Every route, and unknown ones: `METHOD path`. */
const REQUESTS = [
  ...Object.entries(OPENAPI.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${addressOf(path)}`),
  ),
  'HEAD /v1/tools',
  'GET /',
  'GET /docs',
  'GET /docs-json',
  'GET /docs/assets/start.js',
  'GET /docs/assets/swagger-ui.css',
  'GET /admin/queues',
  'GET /admin/queues/api/queues',
  'GET /admin/queues/static/x.js',
  'POST /admin/queues/x',
  'GET /nowhere',
  'PUT /v1/invocations',
  'DELETE /v1/invocations/x',
  'PATCH /nowhere',
  'TRACE /v1/tools',
  'PROPFIND /v1/tools',
  'GET /v1/invocations/%zz',
  `GET /v1/invocations/${'a'.repeat(1_000)}`,
  'GET *',
  'GET //v1/tools',
  'GET /v1/%74ools',
];
const PROBES = ['GET /healthz', 'GET /readyz'];

describe.each(REQUESTS)('The request %s', (line) => {
  it('A page of another origin gets 403', async () => {
    const answer = await ask(line, `host: ${own()}`, 'origin: http://evil.example');
    expect(answer.status).toBe(403);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    if (line.startsWith('HEAD')) return;
    expect(JSON.parse(answer.body)).toMatchObject({
      status: 403,
      code: 'forbidden',
      detail: expect.stringContaining('ERRAND_ALLOWED_ORIGINS'),
    });
  });

  it('A foreign DNS name for this host gets 403, except for health checks', async () => {
    const answer = await ask(line, 'host: rebound.example');
    if (PROBES.includes(line)) expect(answer.status).toBe(200);
    else expect(answer.status).toBe(403);
  });

  it('A page of an allowed origin gets CORS headers with every response', async () => {
    const { status, headers } = await ask(line, `host: ${own()}`, `origin: ${ALLOWED}`);
    expect(status).not.toBe(403);
    expect(headers.get('access-control-allow-origin')).toBe(ALLOWED);
    expect(headers.get('access-control-expose-headers')).toMatch(/Location, Retry-After.*ETag/);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toContain('Origin');
  });

  it('OPTIONS is allowed for everybody, and only an allowed origin gets CORS headers', async () => {
    const [, path] = line.split(' ');
    const wishes = ['access-control-request-method: POST', 'access-control-request-headers: authorization,prefer'];
    for (const foreign of ['http://evil.example', 'null', `${ALLOWED}:8443`, 'http://app.example']) {
      const { status, headers } = await ask(`OPTIONS ${path}`, 'host: evil.example', `origin: ${foreign}`, ...wishes);
      expect(status).toBe(204);
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    const { status, headers } = await ask(`OPTIONS ${path}`, `host: ${own()}`, `origin: ${ALLOWED}`, ...wishes);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(ALLOWED);
    expect(headers.get('access-control-allow-methods')).toMatch(/GET.*POST.*DELETE/);
    for (const name of ['Authorization', 'Idempotency-Key', 'If-None-Match', 'Prefer', 'Last-Event-ID', 'Content-Type'])
      expect(headers.get('access-control-allow-headers')).toContain(name);
    expect(headers.get('access-control-max-age')).toBe('600');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toContain('Origin');
  });
});

describe('An invocation', () => {
  const start = () => stack.client.submit({ toolId: 'core:delay', arguments: { ms: 600_000, value: 1 } });

  it.each(['http://evil.example', 'null', 'http://localhost:5173', 'http://127.0.0.1', ''])(
    'A page of the origin %j cannot cancel an invocation',
    async (origin) => {
      const id = await start();
      const line = `POST /v1/invocations/${id}/cancel`;
      expect((await ask(line, `host: ${own()}`, `origin: ${origin}`, 'content-length: 0')).status).toBe(403);
      const twice = ['origin: http://evil.example', `origin: ${stack.url}`];
      expect((await ask(line, `host: ${own()}`, ...twice, 'content-length: 0')).status).toBe(403);
      expect((await ask(line, `host: ${own()}`, ...twice.toReversed(), 'content-length: 0')).status).toBe(403);
      expect((await stack.client.read(id)).status).toBe('queued');
    },
  );

  it.each([
    ['no origin', () => undefined, own],
    ['the origin of the API', () => stack.url, own],
    ['the origin localhost', () => 'http://localhost:8080', () => 'localhost:8080'],
    ['the origin of ERRAND_PUBLIC_URL', () => 'https://errand.example', () => 'errand.example'],
    ['an allowed origin', () => ALLOWED, own],
  ])('A request with %s can cancel an invocation', async (_, origin, host) => {
    const id = await start();
    const headers = [`host: ${host()}`, 'content-length: 0', ...(origin() ? [`origin: ${origin()}`] : [])];
    expect((await ask(`POST /v1/invocations/${id}/cancel`, ...headers)).status).toBe(202);
    expect((await stack.client.read(id)).status).toBe('cancelled');
  });

  it('Only pages of allowed origins can read the event stream', async () => {
    const id = await start();
    const path = `GET /v1/invocations/${id}/events`;
    const { socket, has, text } = await openRaw(stack.url);
    socket.write(requestText(`${path} HTTP/1.1`, [`host: ${own()}`, `origin: ${ALLOWED}`]));
    await has('event: status');
    const { headers } = readAnswer(text());
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(headers.get('access-control-allow-origin')).toBe(ALLOWED);
    socket.destroy();
    expect((await ask(path, `host: ${own()}`, 'origin: http://evil.example')).status).toBe(403);
  });

  it('A page of an allowed origin can read the Location header', async () => {
    const response = await fetch(`${stack.url}/v1/invocations`, {
      method: 'POST',
      headers: { origin: ALLOWED, 'content-type': 'application/json' },
      body: '{"toolId":"core:echo","arguments":{"value":1}}',
    });
    expect(response.status).toBe(202);
    expect(response.headers.get('access-control-expose-headers')).toContain('Location');
    expect(response.headers.get('location')).toMatch(/^\/v1\/invocations\/inv_/);
  });
});

describe('The Host header', () => {
  it.each([
    ['with two hosts', 'GET /v1/tools', ['host: localhost', 'host: evil.example']],
    ['with the same host twice', 'GET /v1/tools', ['host: localhost', 'host: localhost']],
    ['with a foreign host in the target', 'GET http://evil.example/v1/tools', ['host: localhost']],
    ['with a foreign host only in the header', 'GET http://localhost/v1/tools', ['host: evil.example']],
    [
      'with an allowed host only in X-Forwarded-Host',
      'GET /v1/tools',
      ['host: evil.example', 'x-forwarded-host: localhost'],
    ],
    ['with a user name before the host', 'GET /v1/tools', ['host: evil.example@localhost']],
  ])('A request %s is refused', async (_, line, headers) => {
    expect((await ask(line, ...headers)).status).toBe(403);
  });

  it('A Host header is required, and HTTP/1.0 without it can read only the health checks', async () => {
    expect(await ask('GET /v1/tools')).toMatchObject({ status: 400, body: expect.stringContaining('one host') });
    expect((await sendRaw(stack.url, 'GET /v1/tools HTTP/1.0\r\n\r\n')).status).toBe(403);
    expect((await sendRaw(stack.url, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it.each(['localhost:3000', '[::1]:3000', 'api:3000', 'errand.example', 'app.example'])(
    'The host %s may read the metrics',
    async (host) => {
      expect((await ask('GET /metrics', `host: ${host}`)).status).toBe(200);
    },
  );

  it('A request with an absolute target is accepted', async () => {
    expect((await ask('GET http://localhost:3000/v1/tools', 'host: localhost:3000')).status).toBe(200);
  });

  it('With keys, every host name is allowed, but no page of another origin', async () => {
    const key = 'k'.repeat(24);
    const url = await stack.startApi({ ERRAND_API_KEYS: key });
    const send = (...headers: string[]) =>
      sendRaw(url, requestText('GET /v1/tools HTTP/1.1', [`authorization: Bearer ${key}`, ...headers]));
    expect((await send('host: any.example')).status).toBe(200);
    expect((await send('host: any.example', 'origin: http://evil.example')).status).toBe(403);
    expect((await send('host: a', 'host: b')).status).toBe(400);
    const preflight = requestText('OPTIONS /v1/tools HTTP/1.1', ['host: any.example', `origin: ${ALLOWED}`]);
    expect((await sendRaw(url, preflight)).status).toBe(204);
  });
});

it('Refused requests are counted by their reason', async () => {
  await ask('GET /v1/tools', 'host: evil.example');
  const { body } = await ask('GET /metrics', `host: ${own()}`);
  expect(body).toMatch(/errand_http_refusals_total\{reason="origin"\} [1-9]/);
  expect(body).toMatch(/errand_http_refusals_total\{reason="host"\} [1-9]/);
});

it('An API that listens on localhost responds on each of its addresses', async () => {
  const { port } = new URL(await stack.startApi({ ERRAND_HOST: 'localhost' }));
  const { lookup } = await import('node:dns/promises');
  for (const { address, family } of await lookup('localhost', { all: true })) {
    const origin = `http://${family === 6 ? `[${address}]` : address}:${port}`;
    expect((await sendRaw(origin, requestText('GET /v1/tools HTTP/1.1', ['host: localhost']))).status).toBe(200);
    const forbidden = requestText('GET /v1/tools HTTP/1.1', ['host: localhost', 'origin: http://evil.example']);
    expect((await sendRaw(origin, forbidden)).status).toBe(403);
  }
});

it.each([
  ['ERRAND_ALLOWED_ORIGINS', '*'],
  ['ERRAND_ALLOWED_ORIGINS', 'app.example'],
  ['ERRAND_ALLOWED_ORIGINS', 'https://app.example/path'],
  ['ERRAND_PUBLIC_URL', 'errand.example'],
  ['ERRAND_TRUSTED_PROXIES', 'proxy.example'],
  ['ERRAND_TRUSTED_PROXIES', '10.0.0.1/8'],
])('The API does not start with %s=%s', async (name, value) => {
  await expect(stack.startApi({ [name]: value })).rejects.toThrow(`${name}=${JSON.stringify(value)}`);
});
