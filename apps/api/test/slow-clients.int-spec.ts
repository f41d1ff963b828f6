import { openRaw, readAnswer, requestText, sendRaw } from '../../../test/support/raw-exchange.js';
import { freePort } from '../../../test/support/start-redis.js';
import { useStack } from '../../../test/support/start-stack.js';

const CLIENTS = 50;
const stack = useStack({ env: { ERRAND_REQUEST_TIMEOUT_MS: '500' } });
/** Another stack, because its workers must not take the jobs of the first one. */
const working = useStack({ env: { ERRAND_REQUEST_TIMEOUT_MS: '500' } });

/**
 * Opens CLIENTS connections that send `head` and then `drop` every 100 ms.
 * @returns the received texts when the server has closed all connections
 */
async function dripAtOnce(origin: string, head: string, drop: string): Promise<string[]> {
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => openRaw(origin)));
  for (const { socket } of clients) socket.write(head);
  const drip = setInterval(() => clients.forEach(({ socket }) => socket.write(drop)), 100);
  const texts = await Promise.all(clients.map(({ closed }) => closed));
  clearInterval(drip);
  return texts;
}

const HEADS: [string, string, string][] = [
  ['a head', 'GET /v1/tools HTTP/1.1\r\nhost: localhost\r\nx-a: ', 'a'],
  [
    'a body',
    'POST /v1/invocations HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n',
    ' ',
  ],
  [
    'a body in chunks',
    'POST /v1/parse HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    '1\r\n \r\n',
  ],
];

describe('Clients that send slowly', () => {
  it.each(HEADS)('Slow clients of the API get 408 and are disconnected: %s', async (_, head, drop) => {
    const texts = await dripAtOnce(stack.url, head, drop);
    expect(texts.map((text) => readAnswer(text).status)).toEqual(Array.from({ length: CLIENTS }, () => 408));
    expect((await stack.client.get('/healthz')).status).toBe(200);
  });

  it('Slow clients of the health server get 408 and are disconnected', async () => {
    const health = await startHealth();
    const texts = await dripAtOnce(health, 'GET /healthz HTTP/1.1\r\nx-a: ', 'a');
    expect(texts.map((text) => readAnswer(text).status)).toEqual(Array.from({ length: CLIENTS }, () => 408));
  });

  it('Slow clients that send a body to an unknown path get one 404 and are disconnected', async () => {
    const texts = await dripAtOnce(
      stack.url,
      'POST /nowhere HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000\r\n\r\n',
      'a',
    );
    expect(texts.flatMap((text) => text.match(/HTTP\/1\.1 \d+/g))).toEqual(
      Array.from({ length: CLIENTS }, () => 'HTTP/1.1 404'),
    );
  });
});

describe('A client that waits', () => {
  const start = () => stack.client.submit({ toolId: 'core:echo', arguments: { value: 1 } });
  /** Resolves when the server has disconnected a client that was too slow. */
  const limitsHavePassed = async () => {
    const { socket, closed } = await openRaw(stack.url);
    socket.write('GET');
    await closed;
  };

  it('A client that waits for the end or for events is not disconnected by the limits of requests', async () => {
    const id = await start();
    const body = '{"toolId":"core:echo","arguments":{"value":1}}';
    const waits = [
      requestText(`GET /v1/invocations/${id}?wait=60 HTTP/1.1`, ['host: localhost']),
      requestText(`GET /v1/invocations/${id}/events HTTP/1.1`, ['host: localhost']),
      requestText(
        'POST /v1/invocations HTTP/1.1',
        ['host: localhost', 'prefer: wait=60', 'content-type: application/json', `content-length: ${body.length}`],
        body,
      ),
    ];
    const clients = await Promise.all(waits.map(() => openRaw(stack.url)));
    clients.forEach(({ socket }, n) => socket.write(waits[n] ?? ''));
    await limitsHavePassed();
    await limitsHavePassed();
    await stack.start('worker');
    const texts = await Promise.all(clients.map(({ closed }) => closed));
    for (const text of texts) expect(text).toContain('"succeeded"');
  });
});

describe('A body that is too large', () => {
  it('A body that is too large gets 413 while the client is still sending, and the connection ends', async () => {
    const { socket, closed } = await openRaw(stack.url);
    socket.write(
      'POST /v1/invocations HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900000000\r\n\r\n',
    );
    const flood = setInterval(() => socket.write(Buffer.alloc(100_000, ' ')), 1);
    const answer = readAnswer(await closed);
    clearInterval(flood);
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([413, { code: 'payload_too_large' }]);
  });
});

describe('The health server of a worker', () => {
  it('The health server refuses pages of other origins, and foreign hosts for its metrics', async () => {
    const health = await startHealth();
    const ask = (line: string, ...headers: string[]) => sendRaw(health, requestText(`${line} HTTP/1.1`, headers));
    for (const path of ['/healthz', '/readyz', '/metrics', '/nowhere']) {
      const answer = await ask(`GET ${path}`, 'host: localhost', 'origin: http://evil.example');
      expect([answer.status, JSON.parse(answer.body)]).toMatchObject([403, { code: 'forbidden' }]);
    }
    expect((await ask('GET /metrics', 'host: worker:3001')).status).toBe(403);
    expect((await ask('GET /metrics', 'host: localhost')).status).toBe(200);
    expect((await ask('GET /healthz', 'host: 10.1.2.3:3001')).status).toBe(200);
    expect((await ask('POST /healthz', 'host: localhost')).status).toBe(405);
    expect((await ask('OPTIONS /metrics', 'host: evil.example', 'origin: null')).status).toBe(204);
    expect((await ask('GET /nowhere', 'host: localhost')).status).toBe(404);
  });

  it('The health server shows its metrics for the host names in ERRAND_ALLOWED_ORIGINS, without keys', async () => {
    const health = await startHealth({
      ERRAND_HEALTH_HOST: '0.0.0.0',
      ERRAND_ALLOW_NO_AUTH: 'true',
      ERRAND_ALLOWED_ORIGINS: 'http://worker:3001',
    });
    const ask = (host: string) => sendRaw(health, requestText('GET /metrics HTTP/1.1', [`host: ${host}`]));
    expect((await ask('worker:3001')).status).toBe(200);
    expect((await ask('rebound.example')).status).toBe(403);
  });
});

/** Starts a worker. @returns the address of its health server */
async function startHealth(env: Record<string, string> = {}): Promise<string> {
  const port = await freePort();
  await working.start('worker', { ERRAND_HEALTH_PORT: String(port), ...env });
  return `http://127.0.0.1:${port}`;
}
