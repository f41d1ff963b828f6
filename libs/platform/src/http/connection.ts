import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestRefusal } from './check-origin.js';
import { answerText, closeSoon } from './close-socket.js';

/** Requests of one connection that may wait for their answers (pipelining). A client that sends more loses its connection. */
const MAX_UNANSWERED = 256;
/** A client that takes nothing of an answer for so many ticks loses its connection. */
const STALL_TICKS = 30;

/** What Node.js calls requests that it cannot read, and what they are answered. */
const UNREADABLE: Readonly<Record<string, RequestRefusal>> = {
  HPE_HEADER_OVERFLOW: malformed(431, 'The headers of the request are too large'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: malformed(413, 'The chunk extensions of the request are too large'),
  ERR_HTTP_REQUEST_TIMEOUT: {
    ...malformed(408, 'The request did not arrive in time; ERRAND_REQUEST_TIMEOUT_MS sets the limit'),
    reason: 'slow',
  },
};

/**
 * One connection of a client: which requests wait for their answers, and what ends it.
 *
 * It is *open* until its last answer is known: a request that cannot be read, or `connection: close`. Then it is *closing*: nothing
 * that still arrives is handled, and `closeSoon` ends it. Node.js bounds the time in which a request arrives. The rest is counted in
 * ticks, not on the clock, because a process that was stopped for a minute must not take that for the silence of its clients.
 */
export class Connection {
  private readonly unanswered = new Set<ServerResponse>();
  private newest: { request: IncomingMessage; response: ServerResponse } | undefined;
  private failure: RequestRefusal | undefined;
  private closing = false;
  private idleTicks = 0;
  private stalledTicks = 0;
  private queuedBytes = 0;

  constructor(private readonly socket: Socket) {
    // Node.js calls this after an answer with `connection: close`. It would reset a connection whose client is still sending,
    // and take the answer from it.
    socket.destroySoon = () => this.close();
    socket.once('close', () => this.drop());
    // After CONNECT nobody else listens for errors, and one would end the process.
    socket.on('error', () => {});
  }

  handle(request: IncomingMessage, response: ServerResponse, handler: RequestListener): void {
    if (this.closing) return;
    if (this.unanswered.size >= MAX_UNANSWERED) return void this.socket.destroy();
    this.newest = { request, response };
    this.idleTicks = 0;
    this.unanswered.add(response);
    response.once('close', () => {
      this.unanswered.delete(response);
      this.refuseUnreadable();
    });
    handler(request, response);
  }

  /** Node.js could not read what the client sent, or not in time. */
  fail(code: string | undefined): RequestRefusal | undefined {
    if (this.closing || this.failure) return undefined;
    if (code === 'ECONNRESET' || !this.socket.writable) return void this.socket.destroy();
    this.failure = UNREADABLE[code ?? ''] ?? malformed(400, 'The request is not valid HTTP');
    this.refuseUnreadable();
    return this.failure;
  }

  /** Called once a second. Ends a connection that is silent, or whose client does not read its answer. */
  tick(maxIdleTicks: number): void {
    const queued = unsentBytes(this.socket);
    this.stalledTicks = queued > 0 && queued === this.queuedBytes ? this.stalledTicks + 1 : 0;
    this.queuedBytes = queued;
    this.idleTicks = this.unanswered.size === 0 ? this.idleTicks + 1 : 0;
    if (this.stalledTicks > STALL_TICKS || this.idleTicks > maxIdleTicks) this.socket.destroy();
  }

  /** Answers what could not be read, behind the answers to all that came before it. */
  private refuseUnreadable(): void {
    if (!this.failure || this.closing || this.socket.destroyed) return;
    const cut = this.newest?.request.complete === false ? this.newest.response : undefined;
    // The body of a request broke off after its answer had begun: a second answer would be taken for one to the next request.
    if (cut?.headersSent) return void this.socket.destroy();
    if (this.unanswered.size > (cut ? 1 : 0)) return;
    this.close(answerText(this.failure));
  }

  private close(lastWords = ''): void {
    this.closing = true;
    closeSoon(this.socket, lastWords);
  }

  /** Node.js reports the end of a connection only to the response that has the socket. Those queued behind it would wait for ever. */
  private drop(): void {
    for (const response of this.unanswered) {
      if (response.socket !== null) continue;
      response.destroy();
      response.emit('close');
    }
  }
}

/**
 * How much the kernel has not taken yet of what is being written. `writableLength` cannot tell: it counts a chunk until its last byte
 * is taken. The time-out of Node's own sockets looks at this number, too.
 */
function unsentBytes(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? 0;
}

function malformed(status: number, detail: string): RequestRefusal {
  return { reason: 'malformed', code: 'invalid_request', detail, status };
}
