import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { StreamItem } from './event-stream.js';

/** A client that reads nothing for this time is disconnected. It may connect again and resume. */
const PATIENCE_MS = 20_000;
const TICKS = 20;

/**
 * Sends items as server-sent events. It takes the next item when the socket has accepted the last one. For a slow client, this process
 * holds only the bytes on their way to the socket. A client that does not read at all loses its connection.
 * @param patienceMs how long to wait for a full socket
 */
export async function sendEventStream(
  reply: FastifyReply,
  items: AsyncIterable<StreamItem>,
  patienceMs: number = PATIENCE_MS,
): Promise<void> {
  const { raw } = reply.hijack();
  // Keep the headers that every response has.
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  try {
    for await (const item of items) {
      if (!raw.write(toText(item)) && !(await drained(raw, patienceMs))) return void raw.destroy();
    }
    raw.end();
  } catch {
    // The response has begun and cannot report an error. The client resumes with Last-Event-ID.
    raw.destroy();
  }
}

function toText(item: StreamItem): string {
  return item.kind === 'heartbeat'
    ? ': still here\n\n'
    : `id: ${item.id}\nevent: ${item.event}\ndata: ${item.data}\n\n`;
}

/** True as soon as the socket accepts more; false if it is closed, or after `ms`. */
export async function drained(raw: ServerResponse, ms: number = PATIENCE_MS): Promise<boolean> {
  // A destroyed socket emits no further event.
  if (raw.destroyed) return false;
  return new Promise((resolve) => {
    const settle = (accepts: boolean) => () => {
      clearInterval(timer);
      raw.off('drain', onDrain).off('close', onClose);
      resolve(accepts);
    };
    const onDrain = settle(true);
    const onClose = settle(false);
    // Ticks count the time: a busy event loop handles `drain` late, but its ticks are late as well.
    let ticks = 0;
    const timer = setInterval(() => ++ticks >= TICKS && onClose(), ms / TICKS);
    raw.once('drain', onDrain).once('close', onClose);
  });
}
