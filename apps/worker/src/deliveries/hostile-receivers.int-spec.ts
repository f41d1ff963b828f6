import { createGuardedFetch, parseAllowList } from '@errand/platform';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { postMessage } from './post-message.js';

/** Short, to keep the test short. A worker uses 10,000 ms. */
const LIMIT_MS = 500;
const MEGABYTE = 2 ** 20;

let server: Server;
let sockets: Socket[];
/** The response of the receiver to a complete request. */
let answer: (socket: Socket, requests: number) => void;

beforeEach(async () => {
  sockets = [];
  server = createServer((socket) => {
    let [text, requests] = ['', 0];
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!text.endsWith('\r\n\r\n{}')) return;
      text = '';
      answer(socket, ++requests);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** A test that does not wait for the limit uses a long one, so that a busy machine does not reach it. */
function post(timeoutMs = LIMIT_MS) {
  const fetch = createGuardedFetch({ allow: parseAllowList('127.0.0.1'), maxBytes: Infinity, timeoutMs });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return postMessage(fetch, { url, headers: {}, body: '{}' });
}

/** Resolves when the other side has closed or reset the connection. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));
}

const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;

/** Writes as fast as the other side reads, until it closes the connection. */
function pour(socket: Socket, text: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', more);
  more();
}

/** Writes every 10 ms, until the other side closes the connection. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10);
  socket.on('close', () => clearInterval(timer));
}

describe('A hostile receiver', () => {
  it.each<[what: string, verdict: string, answer: (socket: Socket) => void]>([
    ['a response that is not HTTP', 'failed', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    ['a response of zeros', 'failed', (socket) => pour(socket, '\0'.repeat(65_536))],
    [
      'an endless head',
      'failed',
      (socket) => (socket.write('HTTP/1.1 200 OK\r\n'), pour(socket, `x: ${'y'.repeat(4_096)}\r\n`)),
    ],
    [
      'a head that arrives byte by byte',
      'failed',
      (socket) => (socket.write('HTTP/1.1 200 OK\r\nx: '), drip(socket, 'y')),
    ],
    ['endless early hints', 'failed', (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')],
    [
      'another protocol',
      'failed',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
    ['an invalid status code', 'failed', (socket) => socket.end('HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n')],
    ['two lengths', 'failed', (socket) => socket.end(`${head('content-length: 2', 'content-length: 40')}ok`)],
    [
      'a body that arrives byte by byte',
      'delivered',
      (socket) => (socket.write(head('content-length: 1000000')), drip(socket, 'y')),
    ],
    [
      'an endless body in chunks',
      'delivered',
      (socket) => (socket.write(head('transfer-encoding: chunked')), pour(socket, `4000\r\n${'y'.repeat(0x4000)}\r\n`)),
    ],
    ['a body that is cut off', 'delivered', (socket) => socket.end(`${head('content-length: 100')}so`)],
    [
      'a body that is not in its content encoding',
      'delivered',
      (socket) => socket.end(`${head('content-encoding: gzip', 'content-length: 4')}none`),
    ],
  ])(
    'A delivery to a receiver with %s gets the verdict %s in time and leaves no connection open',
    async (_what, verdict, act) => {
      answer = act;
      expect(await post()).toMatchObject({ verdict });
      await Promise.all(sockets.map(closed));
    },
  );

  it('A gzip bomb is unpacked only up to the limit of a response', async () => {
    // The compression ratio is 1:1,000.
    const bomb = gzipSync(Buffer.alloc(64 * MEGABYTE));
    answer = (socket) => {
      socket.write(head('content-encoding: gzip', `content-length: ${bomb.length}`));
      socket.end(bomb);
    };
    const before = process.memoryUsage().arrayBuffers;
    expect(await post(60_000)).toMatchObject({ verdict: 'delivered', attempt: { statusCode: 200 } });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * MEGABYTE);
  });

  it('A receiver cannot respond to a message before it is sent', async () => {
    const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
    const refused = 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n';
    answer = (socket, requests) => void socket.write(requests === 1 && sockets.length === 1 ? refused + ok : refused);
    expect(await post(60_000)).toMatchObject({ verdict: 'failed', attempt: { statusCode: 500 } });
    expect(await post(60_000)).toMatchObject({ verdict: 'failed' });
  });
});
