import { once } from 'node:events';
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';

/** One HTTP response as received. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  body: string;
}

/** A raw TCP connection to a server. */
export interface RawConnection {
  socket: Socket;
  /** Everything received so far. */
  text: () => string;
  /** Resolves when the received text contains `part`. */
  has: (part: string) => Promise<void>;
  /** Resolves with everything received when the server has closed the connection in both directions. */
  closed: Promise<string>;
}

/**
 * Connects to a server. Unless `allowHalfOpen` is false, the client keeps its side open when the server ends, like a
 * hostile client.
 * Therefore `closed` proves that the server has destroyed the connection: it responds to the client's next byte with a
 * reset.
 */
export async function openRaw(origin: string, more: Partial<TcpNetConnectOpts> = {}): Promise<RawConnection> {
  const { hostname, port } = new URL(origin);
  const { allowHalfOpen = true } = more;
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), ...more, allowHalfOpen });
  await once(socket, 'connect');
  let text = '';
  const waiting = new Set<() => void>();
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    for (const look of waiting) look();
  });
  socket.on('error', () => {});
  const has = (part: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!text.includes(part)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      socket.once('close', () => reject(new Error(`closed without ${JSON.stringify(part)} after ${text}`)));
      look();
    });
  const closed = new Promise<string>((resolve) => void socket.once('close', () => resolve(text)));
  if (allowHalfOpen) socket.once('end', () => pokeUntilClosed(socket));
  return { socket, text: () => text, has, closed };
}

/** TCP reports the closed connection to a half-closed client only when the client sends something. */
function pokeUntilClosed(socket: Socket): void {
  const timer = setInterval(() => socket.write('\r\n'), 20);
  socket.once('close', () => clearInterval(timer));
}

/** Sends bytes unchanged. Resolves with the first response when the server has closed the connection. */
export async function sendRaw(origin: string, ...bytes: (string | Buffer)[]): Promise<RawAnswer> {
  const { socket, closed } = await openRaw(origin, { allowHalfOpen: false });
  for (const part of bytes) socket.write(part);
  return readAnswer(await closed);
}

export function readAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [line = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Headers(
    lines.map((each) => [each.slice(0, each.indexOf(':')), each.slice(each.indexOf(':') + 1)]),
  );
  return { status: Number(line.split(' ')[1]), headers, body: text.slice(end + 4) };
}

/** A request as text. A header may occur several times, and `Host` is sent only if it is given. */
export function requestText(line: string, headers: readonly string[], body = ''): string {
  return `${[line, ...headers, 'connection: close'].join('\r\n')}\r\n\r\n${body}`;
}
