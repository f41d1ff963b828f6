import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { StreamItem } from './event-stream.js';

/** A listener that takes nothing for so long is dropped; it may come back and go on where it was. */
const PATIENCE_MS = 20_000;
const TICKS = 20;

/**
 * Sends what is told as server-sent events. The next is asked for when the last has been taken: of a slow reader nothing is held
 * but what is on its way to the socket, and one that does not read at all loses its connection.
 * @param patienceMs how long a full socket is waited for
 */
export async function sendEventStream(
  reply: FastifyReply,
  told: AsyncIterable<StreamItem>,
  patienceMs: number = PATIENCE_MS,
): Promise<void> {
  const { raw } = reply.hijack();
  // What every answer carries, this one does, too.
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  try {
    for await (const item of told) {
      if (!raw.write(toText(item)) && !(await drained(raw, patienceMs))) return void raw.destroy();
    }
    raw.end();
  } catch {
    // The answer has begun: to break it off is all that can still be said. The listener comes back with Last-Event-ID.
    raw.destroy();
  }
}

function toText(item: StreamItem): string {
  return item.kind === 'heartbeat'
    ? ': still here\n\n'
    : `id: ${item.id}\nevent: ${item.event}\ndata: ${item.data}\n\n`;
}

/** True as soon as the socket takes more; false when it is closed, or `ms` are over. */
async function drained(raw: ServerResponse, ms: number): Promise<boolean> {
  // Who has hung up already does so only once: no event would follow.
  if (raw.destroyed) return false;
  return new Promise((resolve) => {
    const settle = (taken: boolean) => () => {
      clearInterval(timer);
      raw.off('drain', onDrain).off('close', onClose);
      resolve(taken);
    };
    const onDrain = settle(true);
    const onClose = settle(false);
    // Ticks count the time: a busy event loop sees late that the socket has drained, but it ticks late as well.
    let ticks = 0;
    const timer = setInterval(() => ++ticks >= TICKS && onClose(), ms / TICKS);
    raw.once('drain', onDrain).once('close', onClose);
  });
}
