import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A GET request on a raw socket. Received text is passed on as it arrives. */
export interface RawRequest {
  socket: Socket;
  /** The whole response with its headers when the server has closed the connection; empty with `onText`. */
  ended: Promise<string>;
}

export interface RawOptions {
  headers?: Record<string, string>;
  unanswered?: boolean;
  onText?: (text: string) => void;
}

/**
 * Sends `GET <path>`. Resolves when the first bytes of the response arrived, or with `unanswered` when the request was
 * sent.
 */
export async function rawGet(
  origin: string,
  path: string,
  { headers = {}, unanswered = false, onText }: RawOptions = {},
): Promise<RawRequest> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const lines = Object.entries({ host: `${hostname}:${port}`, connection: 'close', ...headers });
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  let text = '';
  const first = new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => resolve());
    socket.on('data', (chunk) => {
      if (onText) onText(String(chunk));
      else text += String(chunk);
      resolve();
    });
  });
  const ended = once(socket, 'close').then(() => text);
  if (!unanswered) await first;
  return { socket, ended };
}
