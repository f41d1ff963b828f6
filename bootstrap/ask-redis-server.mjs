import { once } from 'node:events';
import { connect as connectPlainly } from 'node:net';
import { connect as connectByTls } from 'node:tls';

const RESPONSE_MS = 3_000;

/** An error response of Redis. */
export class RedisRefusal extends Error {}
/** The response is not one of Redis. */
export class NotRedis extends Error {}

/**
 * Connects to a Redis server without an npm package, and passes `talk` a function that sends one command and returns its response.
 * @param {{ host: string, port: number, tls: boolean, username: string, password: string }} server the password is presented if it is not empty
 * @throws RedisRefusal, NotRedis, or the error of the connection
 */
export async function talkToRedis({ host, port, tls, username, password }, talk) {
  const socket = open({ host, port }, tls);
  try {
    await once(socket, tls ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(RESPONSE_MS) });
    const read = responsesOf(socket);
    if (password !== '') await ask(socket, read, ['AUTH', username, password]);
    await ask(socket, read, ['PING']);
    return await talk((...words) => ask(socket, read, words));
  } finally {
    socket.destroy();
  }
}

function open(target, tls) {
  const isName = !/^[\d.]+$|:/.test(target.host);
  const socket = tls ? connectByTls({ ...target, ...(isName && { servername: target.host }) }) : connectPlainly(target);
  socket.on('error', () => {}); // `once` and the reader report it
  socket.setTimeout(RESPONSE_MS, () => socket.destroy(new Error('no response')));
  return socket;
}

async function ask(socket, read, words) {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  socket.write(`*${words.length}\r\n${parts.join('')}`);
  return read();
}

/** Returns a function that reads the next response: a status, a number, a bulk string, or an error. */
function responsesOf(socket) {
  const chunks = socket[Symbol.asyncIterator]();
  let buffer = Buffer.alloc(0);
  const more = async () => {
    const { value, done } = await chunks.next();
    if (done) throw new NotRedis('the connection was closed');
    buffer = Buffer.concat([buffer, value]);
  };
  const take = async (length) => {
    while (buffer.length < length) await more();
    const taken = buffer.subarray(0, length).toString();
    buffer = buffer.subarray(length);
    return taken;
  };
  return async () => {
    while (!buffer.includes('\r\n')) {
      if (buffer.length > 0 && !'+-:$'.includes(String.fromCharCode(buffer[0]))) throw new NotRedis('another protocol');
      await more();
    }
    const line = (await take(buffer.indexOf('\r\n') + 2)).slice(0, -2);
    if (line.startsWith('-')) throw new RedisRefusal(line.slice(1));
    if (/^[+:]/.test(line)) return line.slice(1);
    if (/^\$\d+$/.test(line)) return (await take(Number(line.slice(1)) + 2)).slice(0, -2);
    throw new NotRedis('another protocol');
  };
}
