import { once } from 'node:events';
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';

/** One answer, as it came over the wire. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  body: string;
}

/** A connection without a client's comforts. */
export interface RawConnection {
  socket: Socket;
  /** Everything that has come so far. */
  text: () => string;
  /** Resolves when what has come contains `part`. */
  has: (part: string) => Promise<void>;
  /** Resolves with everything that has come, when the connection is closed from the other side, for both directions. */
  closed: Promise<string>;
}

/**
 * Connects to a server. Unless `allowHalfOpen` is false, the client keeps its side open when the server ends, as a hostile client does.
 * So `closed` proves that the server has destroyed the connection: the client's next byte is answered with a reset.
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

/** TCP tells a half-closed client that the other side is gone only when the client sends something. */
function pokeUntilClosed(socket: Socket): void {
  const timer = setInterval(() => socket.write('\r\n'), 20);
  socket.once('close', () => clearInterval(timer));
}

/** Sends bytes as they are; resolves with the first answer when the server has ended the connection. */
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

/** A request as text; a header may occur several times, and `Host` is there only where it is given. */
export function requestText(line: string, headers: readonly string[], body = ''): string {
  return `${[line, ...headers, 'connection: close'].join('\r\n')}\r\n\r\n${body}`;
}
