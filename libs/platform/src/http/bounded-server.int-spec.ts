import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { networkInterfaces } from 'node:os';
import type { AddressInfo } from 'node:net';
import { openRaw, readAnswer, requestText, sendRaw } from '../../../../test/support/raw-exchange.js';
import { parseNetworks } from '../address-rules.js';
import { createBoundedServer, type ServingSettings } from './bounded-server.js';

const SETTINGS: ServingSettings = {
  ERRAND_API_KEYS: ['a key'],
  ERRAND_PUBLIC_URL: undefined,
  ERRAND_ALLOWED_ORIGINS: [],
  ERRAND_REQUEST_TIMEOUT_MS: 200,
  ERRAND_KEEP_ALIVE_MS: 60_000,
  ERRAND_CONNECTIONS_PER_ADDRESS: 3,
  ERRAND_TRUSTED_PROXIES: [],
};
const LARGE = 32 * 1024 ** 2;

/** The paths that reached the handler, and `close <path>` for each closed response. */
const seen: string[] = [];
/** Responses that a test ends later. */
const waiting: ServerResponse[] = [];
const refusals: string[] = [];

function handler(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '';
  seen.push(path);
  response.once('close', () => seen.push(`close ${path}`));
  if (path.startsWith('/wait')) waiting.push(response);
  else if (path === '/refuse') response.writeHead(401).end();
  else if (path === '/large') response.end(Buffer.alloc(LARGE));
  else if (path === '/endless') response.write(Buffer.alloc(LARGE));
  else if (path === '/begin') response.write('begun');
  else if (request.method === 'POST') request.resume().once('end', () => response.end('whole'));
  else response.end(path);
}

let servers: Server[] = [];

/** Starts a server with these settings and resolves with its origin. */
async function serve(more: Partial<ServingSettings> = {}, host = '127.0.0.1'): Promise<string> {
  const server = createBoundedServer(
    { ...SETTINGS, ...more },
    { handler, methodsOf: () => ['GET'], onRefused: (reason) => refusals.push(reason), tickMs: 20 },
  );
  servers.push(server);
  server.listen(0, host);
  await once(server, 'listening');
  const { address, port } = server.address() as AddressInfo;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

const openConnections = (server: Server | undefined) =>
  new Promise<number>((resolve) => server?.getConnections((_error, count) => resolve(count)));

beforeEach(() => {
  servers = [];
  for (const list of [seen, waiting, refusals]) list.length = 0;
});

afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n';
const POST = 'POST / HTTP/1.1\r\nhost: a\r\n';

describe('A slow client', () => {
  it.each([
    ['sends nothing', '', ''],
    ['drips its head', 'GET / HTTP/1.1\r\nhost: a\r\nx-a: ', 'a'],
    ['drips header lines', 'GET / HTTP/1.1\r\nhost: a\r\n', 'x-a: a\r\n'],
    ['drips its request line', 'GET /', 'a'],
    ['drips empty lines before its request', '', '\r\n'],
    ['drips its body', `${POST}content-length: 1000000\r\n\r\n`, 'a'],
    ['drips chunks of its body', `${POST}transfer-encoding: chunked\r\n\r\n`, '1\r\na\r\n'],
    ['drips the head after 100 Continue', `${POST}expect: 100-continue\r\ncontent-length: 9000\r\n\r\n`, 'a'],
  ])('A client that %s gets 408, and its connection is destroyed', async (_, head, drop) => {
    const origin = await serve();
    const { socket, closed } = await openRaw(origin);
    socket.write(head);
    const drip = setInterval(() => drop && socket.write(drop), 10);
    const answer = readAnswer((await closed).replace('HTTP/1.1 100 Continue\r\n\r\n', ''));
    clearInterval(drip);
    expect(answer.status).toBe(408);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(JSON.parse(answer.body)).toMatchObject({ status: 408, code: 'invalid_request' });
    expect(refusals).toEqual(['slow']);
    expect(await openConnections(servers[0])).toBe(0);
  });

  it('A client that ignores its 408 and continues to send loses its connection', async () => {
    const origin = await serve();
    const { socket, closed, has } = await openRaw(origin);
    socket.write('POST /ignored HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\n');
    await has(' 408 ');
    const flood = setInterval(() => socket.write('a'.repeat(10_000)), 1);
    await closed;
    clearInterval(flood);
    while (!seen.includes('close /ignored')) await new Promise(setImmediate);
  });

  it('A client that drips a body after the response gets no second response', async () => {
    const origin = await serve();
    const { socket, closed } = await openRaw(origin);
    socket.write('POST /refuse HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n');
    const drip = setInterval(() => socket.write('a'), 10);
    const text = await closed;
    clearInterval(drip);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401']);
  });

  it('A client that drips a body during a response gets no 408 inside it', async () => {
    const origin = await serve();
    const { socket, closed } = await openRaw(origin);
    socket.write('GET /begin HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n');
    expect(await closed).not.toContain('408');
  });

  it('A client that sends empty lines between requests is disconnected like a silent one', async () => {
    const origin = await serve({ ERRAND_KEEP_ALIVE_MS: 300 });
    const { socket, closed, has } = await openRaw(origin);
    socket.write(`${GET}\r\n`);
    await has('200 OK');
    const drip = setInterval(() => socket.write('\r\n'), 10);
    await closed;
    clearInterval(drip);
  });

  it('A client that is silent between requests is disconnected', async () => {
    const origin = await serve({ ERRAND_KEEP_ALIVE_MS: 100 });
    const { socket, closed } = await openRaw(origin);
    socket.write(`${GET}\r\n`);
    expect((await closed).match(/HTTP/g)).toHaveLength(1);
  });
});

describe('A client that does not read', () => {
  it.each(['/large', '/endless'])('A client that does not read is disconnected during %s', async (path) => {
    const origin = await serve();
    const { socket } = await openRaw(origin);
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    while (!seen.includes(`close ${path}`)) await new Promise(setImmediate);
    socket.destroy();
  });

  it('A client that does not read is disconnected even if it continues to send', async () => {
    const origin = await serve();
    const { socket } = await openRaw(origin);
    socket.pause();
    socket.write('GET /large HTTP/1.1\r\nhost: a\r\n\r\n');
    const drip = setInterval(() => socket.write('\r\n'), 10);
    while (!seen.includes('close /large')) await new Promise(setImmediate);
    clearInterval(drip);
    socket.destroy();
  });
});

describe('A client that waits', () => {
  it('A client that waits for a slow response is not disconnected by any limit', async () => {
    const origin = await serve({ ERRAND_KEEP_ALIVE_MS: 50 });
    const { socket, closed } = await openRaw(origin);
    const slow = await openRaw(origin);
    socket.write('GET /wait HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    // Two other connections have reached the limits, so the limits have passed.
    slow.socket.write('GET');
    await slow.closed;
    await (
      await openRaw(origin)
    ).closed;
    expect(seen).not.toContain('close /wait');
    waiting[0]?.end('at last');
    expect(await closed).toContain('at last');
  });

  it('A client that closes its sending side counts as disconnected', async () => {
    const origin = await serve();
    const { socket, closed } = await openRaw(origin);
    socket.end('GET /wait HTTP/1.1\r\nhost: a\r\n\r\n');
    await closed;
    while (!seen.includes('close /wait')) await new Promise(setImmediate);
  });

  it('A client that disconnects ends all of its pipelined requests', async () => {
    const origin = await serve();
    const { socket } = await openRaw(origin);
    socket.write([1, 2, 3].map((n) => `GET /wait${n} HTTP/1.1\r\nhost: a\r\n\r\n`).join(''));
    while (waiting.length < 3) await new Promise(setImmediate);
    socket.destroy();
    for (const n of [1, 2, 3]) while (!seen.includes(`close /wait${n}`)) await new Promise(setImmediate);
  });
});

describe('Pipelined requests', () => {
  it('Pipelined requests get their responses in order', async () => {
    const origin = await serve();
    const paths = Array.from({ length: 200 }, (_, n) => `/p${n}`);
    const requests = paths.map((path, n) =>
      requestText(`GET ${path} HTTP/1.1`, ['host: a']).replace('close', n === 199 ? 'close' : 'keep-alive'),
    );
    const { socket, closed } = await openRaw(origin);
    socket.write(requests.join(''));
    expect((await closed).match(/\/p\d+/g)).toEqual(paths);
  });

  it('Thousands of pipelined requests on one connection end it', async () => {
    const origin = await serve();
    const { socket, closed } = await openRaw(origin);
    socket.write('GET /wait HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(20_000));
    await closed;
    expect(waiting.length).toBeLessThan(300);
  });

  it('Requests after a request with `connection: close` are not handled', async () => {
    const origin = await serve();
    const { socket, closed, has } = await openRaw(origin);
    socket.write('GET /first HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    await has('/first');
    socket.write(`${POST}content-length: 0\r\n\r\n`);
    await closed;
    expect(seen.filter((path) => !path.startsWith('close'))).toEqual(['/first']);
  });

  it('Pipelined requests before invalid data get their responses before its 400', async () => {
    const origin = await serve();
    const { socket, closed, has } = await openRaw(origin);
    socket.write('GET /wait HTTP/1.1\r\nhost: a\r\n\r\nGARBAGE\r\n\r\n');
    while (waiting.length === 0) await new Promise(setImmediate);
    waiting[0]?.end('first');
    await has(' 400 ');
    expect((await closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});

describe('A server that stood still', () => {
  /** Blocks the event loop for longer than a request may take. */
  const standStill = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);

  it('A request that arrived meanwhile gets its response', async () => {
    const { socket, closed } = await openRaw(await serve());
    socket.write('GET /late HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    standStill();
    expect(readAnswer(await closed)).toMatchObject({ status: 200, body: '/late' });
    expect(refusals).toEqual([]);
  });

  it('A body that arrived meanwhile is read, also on a connection that had a request before', async () => {
    const { socket, closed, has } = await openRaw(await serve());
    socket.write('GET /first HTTP/1.1\r\nhost: a\r\n\r\n');
    await has('/first');
    socket.write('POST /late HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 2\r\n\r\na');
    while (!seen.includes('/late')) await new Promise(setImmediate);
    socket.write('b');
    standStill();
    expect((await closed).match(/HTTP\/1\.1 \d+|whole/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'whole']);
  });

  it.each([
    ['head', 'GET /slow HTTP/1.1\r\nhost'],
    ['body', 'POST /slow HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\na'],
  ])('A client whose %s still does not arrive gets 408', async (_, begin) => {
    const { socket, closed } = await openRaw(await serve());
    socket.write(begin);
    standStill();
    expect(readAnswer(await closed).status).toBe(408);
    expect(refusals).toEqual(['slow']);
  });
});

describe('A request that is refused while its body arrives', () => {
  it('A refused request gets its response even if the client continues to send', async () => {
    const origin = await serve({ ERRAND_REQUEST_TIMEOUT_MS: 10_000 });
    const { socket, closed } = await openRaw(origin);
    socket.write('POST /refuse HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 100000000\r\n\r\n');
    const flood = setInterval(() => socket.write(Buffer.alloc(100_000)), 1);
    expect(readAnswer(await closed).status).toBe(401);
    clearInterval(flood);
  });
});

describe('Methods and headers of other protocols', () => {
  it('CONNECT gets 405, and the process survives a reset by the client', async () => {
    const origin = await serve();
    const answer = await sendRaw(origin, 'CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\nbytes');
    expect(answer.status).toBe(405);
    const { socket } = await openRaw(origin);
    socket.write('CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n');
    socket.resetAndDestroy();
    expect((await sendRaw(origin, requestText('GET / HTTP/1.1', ['host: a']))).status).toBe(200);
  });

  it.each([
    ['an upgrade', ['upgrade: websocket', 'connection: upgrade', 'sec-websocket-version: 13']],
    ['an upgrade to HTTP/2', ['upgrade: h2c', 'connection: upgrade, http2-settings', 'http2-settings: AAMAAABk']],
    ['an unknown expectation', ['expect: the-impossible']],
  ])('A request with %s is handled as a plain request', async (_, headers) => {
    const origin = await serve();
    const { socket, has, text } = await openRaw(origin);
    socket.write(`GET /plain HTTP/1.1\r\nhost: a\r\n${headers.join('\r\n')}\r\n\r\n`);
    await has('/plain');
    expect(readAnswer(text()).status).toBe(200);
  });

  it('The preface of HTTP/2 is refused', async () => {
    const origin = await serve();
    const { socket, closed } = await openRaw(origin);
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    await closed;
    expect(seen).toEqual([]);
  });
});

describe('Connections of one address', () => {
  const [own] = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
  const onOwnAddress = own === undefined ? it.skip : it;
  if (own === undefined) console.warn('skipped: this machine has no address but loopback');
  const there = (origin: string) => origin.replace('0.0.0.0', own ?? '');

  onOwnAddress('Connections above the limit get 429 until one closes', async () => {
    const origin = there(await serve({}, '0.0.0.0'));
    const open = [];
    for (let n = 0; n < 3; n++) {
      const connection = await openRaw(origin);
      connection.socket.write('GET /wait HTTP/1.1\r\nhost: a\r\n\r\n');
      open.push(connection);
    }
    while (waiting.length < 3) await new Promise(setImmediate);
    const refused = await sendRaw(origin, requestText('POST /refused HTTP/1.1', ['host: a']));
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([
      429,
      { code: 'rate_limited', detail: expect.stringContaining('ERRAND_CONNECTIONS_PER_ADDRESS') },
    ]);
    expect(refusals).toEqual(['connections']);
    expect(seen).not.toContain('/refused');
    open[0]?.socket.destroy();
    while (!seen.includes('close /wait')) await new Promise(setImmediate);
    expect((await sendRaw(origin, requestText('GET / HTTP/1.1', ['host: a']))).status).toBe(200);
  });

  onOwnAddress('Connections of a trusted proxy are not counted', async () => {
    const origin = there(await serve({ ERRAND_TRUSTED_PROXIES: parseNetworks(`${own}`) }, '0.0.0.0'));
    for (let n = 0; n < 10; n++) (await openRaw(origin)).socket.write('GET /wait HTTP/1.1\r\nhost: a\r\n\r\n');
    while (waiting.length < 10) await new Promise(setImmediate);
  });

  it('Connections over loopback are not counted', async () => {
    const origin = await serve();
    for (let n = 0; n < 10; n++)
      (await openRaw(origin, { localAddress: '127.0.0.2' })).socket.write('GET /wait HTTP/1.1\r\nhost: a\r\n\r\n');
    while (waiting.length < 10) await new Promise(setImmediate);
  });
});
