import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestRefusal } from './check-origin.js';
import { PROBLEM_TYPE, problemBody } from './problem-body.js';

/** The time in which a client that is still sending may read its answer. */
const LINGER_MS = 1_000;

/** A whole answer, for a socket that has no response to write it. */
export function answerText(refusal: RequestRefusal): string {
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
 * Closes a connection once its answer, and `lastWords`, are sent. A socket that is destroyed while its client sends is reset, and the client may lose the
 * answer. So the client gets the end of the stream first; what it sends is discarded until it closes too, for a second at most.
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
