import { once } from 'node:events';
import { connect as connectPlainly } from 'node:net';
import { connect as connectByTls } from 'node:tls';

const RESPONSE_MS = 3_000;

/** An error response of Redis. */
export class RedisRefusal extends Error {}
/** The response is not one of Redis. */
export class NotRedis extends Error {}

/**
 * Asks the Redis of a URL for its version, without an npm package. The password of the URL is presented.
 * @param {URL} url redis: or rediss:
 * @returns {Promise<string | undefined>} the version, such as 7.0.15; undefined if this user may not read it
 * @throws RedisRefusal, NotRedis, or the error of the connection
 */
export async function askRedisVersion(url) {
  const socket = open(url);
  try {
    await once(socket, url.protocol === 'rediss:' ? 'secureConnect' : 'connect', {
      signal: AbortSignal.timeout(RESPONSE_MS),
    });
    const read = responsesOf(socket);
    if (url.password !== '')
      await ask(socket, read, ['AUTH', url.username || 'default', url.password].map(decodeURIComponent));
    await ask(socket, read, ['PING']);
    const info = await ask(socket, read, ['INFO', 'server']).catch((error) => {
      if (error instanceof RedisRefusal) return '';
      throw error;
    });
    return /^redis_version:(\S+)/m.exec(info)?.[1];
  } finally {
    socket.destroy();
  }
}

function open({ protocol, hostname, port }) {
  const target = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) };
  const socket = protocol === 'rediss:' ? connectByTls({ ...target, servername: target.host }) : connectPlainly(target);
  socket.on('error', () => {}); // `once` and the reader report it
  socket.setTimeout(RESPONSE_MS, () => socket.destroy(new Error('no response')));
  return socket;
}

async function ask(socket, read, words) {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  socket.write(`*${words.length}\r\n${parts.join('')}`);
  return read();
}

/** Returns a function that reads the next response: a status, a bulk string, or an error. */
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
      if (buffer.length > 0 && !'+-$'.includes(String.fromCharCode(buffer[0]))) throw new NotRedis('another protocol');
      await more();
    }
    const line = (await take(buffer.indexOf('\r\n') + 2)).slice(0, -2);
    if (line.startsWith('-')) throw new RedisRefusal(line.slice(1));
    if (line.startsWith('+')) return line.slice(1);
    if (/^\$\d+$/.test(line)) return (await take(Number(line.slice(1)) + 2)).slice(0, -2);
    throw new NotRedis('another protocol');
  };
}
