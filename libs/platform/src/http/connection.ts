import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestRefusal } from './check-origin.js';
import { responseText, closeSoon } from './close-socket.js';

/** Maximum number of pipelined requests without a response. A client that sends more loses its connection. */
const MAX_PENDING = 256;
/** A client that reads nothing of a response for this number of ticks loses its connection. */
const STALL_TICKS = 30;

/** The error code of Node.js for a request that did not arrive in time. */
export const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** The responses to unreadable requests, by the error code of Node.js. */
const UNREADABLE: Readonly<Record<string, RequestRefusal>> = {
  HPE_HEADER_OVERFLOW: malformed(431, 'The headers of the request are too large'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: malformed(413, 'The chunk extensions of the request are too large'),
  [TIMEOUT]: {
    ...malformed(408, 'The request did not arrive in time; ERRAND_REQUEST_TIMEOUT_MS sets the limit'),
    reason: 'slow',
  },
};

/**
 * One connection of a client, its requests without a response, and its end.
 *
 * States:
 * - *open*: requests are handled. It ends after a request that cannot be read, or with `connection: close`.
 * - *closing*: the last response is known. New data is not handled, and `closeSoon` ends the connection.
 *
 * Node.js bounds the time in which a request arrives. The other limits count ticks instead of time: a process that was
 * stopped for a minute must not take that for silent clients. After such a standstill, `extend` also counts ticks for the
 * request that is under way, which Node.js no longer watches.
 */
export class Connection {
  private readonly pending = new Set<ServerResponse>();
  private newest: { request: IncomingMessage; response: ServerResponse } | undefined;
  private failure: RequestRefusal | undefined;
  private closing = false;
  private idleTicks = 0;
  private stalledTicks = 0;
  private queuedBytes = 0;
  /** The request that is under way may take so many further ticks. `after` is the last request before it. */
  private extension: { ticks: number; after: IncomingMessage | undefined } | undefined;

  constructor(private readonly socket: Socket) {
    // Node.js calls this after a response with `connection: close`. Its own version would reset the connection while
    // the client still sends, and the client could lose the response.
    socket.destroySoon = () => this.close();
    socket.once('close', () => this.drop());
    // After CONNECT, an error without a listener would end the process.
    socket.on('error', () => {});
  }

  handle(request: IncomingMessage, response: ServerResponse, handler: RequestListener): void {
    if (this.closing) return;
    if (this.pending.size >= MAX_PENDING) return void this.socket.destroy();
    this.newest = { request, response };
    this.idleTicks = 0;
    this.pending.add(response);
    response.once('close', () => {
      this.pending.delete(response);
      this.refuseUnreadable();
    });
    handler(request, response);
  }

  /** Handles data that Node.js could not read, or that came too late. */
  fail(code: string | undefined): RequestRefusal | undefined {
    if (this.closing || this.failure) return undefined;
    if (code === 'ECONNRESET' || !this.socket.writable) return void this.socket.destroy();
    this.failure = UNREADABLE[code ?? ''] ?? malformed(400, 'The request is not valid HTTP');
    this.refuseUnreadable();
    return this.failure;
  }

  /** Gives the request that is under way so many further ticks to arrive. */
  extend(ticks: number): void {
    const newest = this.newest?.request;
    this.extension = { ticks, after: newest?.complete ? newest : undefined };
  }

  /**
   * Called once a second. Ends a connection that is silent, or whose client does not read its answer. Returns whether an extended request
   * has not arrived in time.
   */
  tick(maxIdleTicks: number): boolean {
    const queued = unsentBytes(this.socket);
    this.stalledTicks = queued > 0 && queued === this.queuedBytes ? this.stalledTicks + 1 : 0;
    this.queuedBytes = queued;
    this.idleTicks = this.pending.size === 0 ? this.idleTicks + 1 : 0;
    if (this.stalledTicks > STALL_TICKS || this.idleTicks > maxIdleTicks) this.socket.destroy();
    return this.isOverdue();
  }

  private isOverdue(): boolean {
    if (!this.extension) return false;
    const { ticks, after } = this.extension;
    const newest = this.newest?.request;
    const hasArrived = newest !== after && newest?.complete === true;
    this.extension = hasArrived || ticks === 0 ? undefined : { ticks: ticks - 1, after };
    return !hasArrived && ticks === 0;
  }

  /** Responds to the unreadable request, after the responses to all earlier requests. */
  private refuseUnreadable(): void {
    if (!this.failure || this.closing || this.socket.destroyed) return;
    const cut = this.newest?.request.complete === false ? this.newest.response : undefined;
    // The response began before the body of the request broke off. The client would take a second response for one to
    // the next request.
    if (cut?.headersSent) return void this.socket.destroy();
    if (this.pending.size > (cut ? 1 : 0)) return;
    this.close(responseText(this.failure));
  }

  private close(lastWords = ''): void {
    this.closing = true;
    closeSoon(this.socket, lastWords);
  }

  /**
   * Node.js reports the end of a connection only to the response that has the socket. Queued responses would wait for
   * ever.
   */
  private drop(): void {
    for (const response of this.pending) {
      if (response.socket !== null) continue;
      response.destroy();
      response.emit('close');
    }
  }
}

/**
 * The bytes of the current write that the kernel has not taken yet. `writableLength` counts a chunk until its last byte
 * is taken. The timeout of Node's own sockets uses the same number.
 */
function unsentBytes(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? 0;
}

function malformed(status: number, detail: string): RequestRefusal {
  return { reason: 'malformed', code: 'invalid_request', detail, status };
}
