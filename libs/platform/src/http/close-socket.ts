import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestRefusal } from './check-origin.js';
import { PROBLEM_TYPE, problemBody } from './problem-body.js';

/** The time in which a client that still sends may read its response. */
const LINGER_MS = 1_000;

/** A complete response for a socket without a response object. */
export function responseText(refusal: RequestRefusal): string {
  const body = problemBody(refusal.code, refusal.detail, refusal.status);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${body.status} ${STATUS_CODES[body.status]}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

/**
 * Closes a connection after its response and `lastWords` were sent. Destroying the socket while the client sends would
 * reset the connection, and the client could lose the response. Therefore the client gets the end of the stream first.
 * Its data is discarded until it closes too, for 1 s at most.
 */
export function closeSoon(socket: Socket, lastWords = ''): void {
  if (socket.destroyed) return;
  const linger = () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    socket.resume();
  };
  if (socket.writableFinished) linger();
  else socket.once('finish', linger);
  if (!socket.writableEnded) socket.end(lastWords);
}
