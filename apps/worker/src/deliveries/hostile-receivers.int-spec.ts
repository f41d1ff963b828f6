import { createGuardedFetch, parseAllowList } from '@errand/platform';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { postMessage } from './post-message.js';

/** Short, so that the test is; a worker has ten seconds. */
const LIMIT_MS = 500;
const MEGABYTE = 2 ** 20;

let server: Server;
let sockets: Socket[];
/** What the receiver does when a request has come in, whole. */
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

const fetch = createGuardedFetch({ allow: parseAllowList('127.0.0.1'), maxBytes: Infinity, timeoutMs: LIMIT_MS });

function post() {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return postMessage(fetch, { url, headers: {}, body: '{}' });
}

/** Resolves when the other side has hung up; a reset is that, too. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));
}

const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;

/** Writes again and again, as fast as the other side takes it, until it hangs up. */
function pour(socket: Socket, text: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', more);
  more();
}

/** Writes some bytes now and then, until the other side hangs up. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10);
  socket.on('close', () => clearInterval(timer));
}

describe('a receiver that means harm', () => {
  it.each<[what: string, verdict: string, answer: (socket: Socket) => void]>([
    ['an answer that speaks no HTTP', 'failed', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    ['an answer of zeros', 'failed', (socket) => pour(socket, '\0'.repeat(65_536))],
    [
      'a head that never ends',
      'failed',
      (socket) => (socket.write('HTTP/1.1 200 OK\r\n'), pour(socket, `x: ${'y'.repeat(4_096)}\r\n`)),
    ],
    [
      'a head that comes byte by byte',
      'failed',
      (socket) => (socket.write('HTTP/1.1 200 OK\r\nx: '), drip(socket, 'y')),
    ],
    ['early hints without end', 'failed', (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')],
    [
      'another protocol',
      'failed',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
    ['a status that is none', 'failed', (socket) => socket.end('HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n')],
    ['two lengths', 'failed', (socket) => socket.end(`${head('content-length: 2', 'content-length: 40')}ok`)],
    [
      'a body that comes byte by byte',
      'delivered',
      (socket) => (socket.write(head('content-length: 1000000')), drip(socket, 'y')),
    ],
    [
      'a body in chunks without end',
      'delivered',
      (socket) => (socket.write(head('transfer-encoding: chunked')), pour(socket, `4000\r\n${'y'.repeat(0x4000)}\r\n`)),
    ],
    ['a body that breaks off', 'delivered', (socket) => socket.end(`${head('content-length: 100')}so`)],
    [
      'a body that is not what it is said to be',
      'delivered',
      (socket) => socket.end(`${head('content-encoding: gzip', 'content-length: 4')}none`),
    ],
  ])('with %s: %s, in time, and nothing is left open', async (_what, verdict, act) => {
    answer = act;
    expect(await post()).toMatchObject({ verdict });
    await Promise.all(sockets.map(closed));
  });

  it('with a bomb of gzip gets no more of it unpacked than is read of any answer', async () => {
    // Packed, it is a thousandth.
    const bomb = gzipSync(Buffer.alloc(64 * MEGABYTE));
    answer = (socket) => {
      socket.write(head('content-encoding: gzip', `content-length: ${bomb.length}`));
      socket.end(bomb);
    };
    const before = process.memoryUsage().arrayBuffers;
    expect(await post()).toMatchObject({ verdict: 'delivered', attempt: { statusCode: 200 } });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * MEGABYTE);
  });

  it('cannot answer a message before it is sent', async () => {
    const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
    const refused = 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n';
    answer = (socket, requests) => void socket.write(requests === 1 && sockets.length === 1 ? refused + ok : refused);
    expect(await post()).toMatchObject({ verdict: 'failed', attempt: { statusCode: 500 } });
    expect(await post()).toMatchObject({ verdict: 'failed' });
  });
});
