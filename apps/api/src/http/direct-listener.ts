import type { IncomingMessage, ServerResponse } from 'node:http';
import { DirectReply } from './direct-reply.js';
import type { DirectHandler, DirectRequest } from './direct-routes.js';
import { addVary } from './entity-tags.js';
import type { AdmitByKey } from './guard-access.js';
import type { MeasureRequest } from './measure-requests.js';
import type { PlainReply } from './plain-reply.js';
import type { ProblemFilter } from './problem.filter.js';
import { readJsonBody } from './read-json-bodies.js';

/** What every request passes, on this way and on that of Fastify. */
interface SharedParts {
  admit: AdmitByKey;
  problems: ProblemFilter;
  measure: MeasureRequest;
  /** The most bytes of a body. */
  bodyLimit: number;
}

const JSON_TYPES: readonly (string | undefined)[] = ['application/json', 'application/json; charset=utf-8'];

/**
 * Answers common submissions without Fastify, whose routing, hooks and reply cost as much as all other work of the API (ADR 153). A request
 * is common if Fastify would do nothing for it that is not done here. All others go to Fastify, which calls the same handlers.
 */
export class DirectListener {
  private isClosing = false;

  /** @param handlers by path */
  constructor(
    private readonly handlers: ReadonlyMap<string, DirectHandler>,
    private readonly parts: SharedParts,
  ) {}

  /** Leaves all later requests to Fastify, which ends their connections. */
  close(): void {
    this.isClosing = true;
  }

  /** @returns false for a request that Fastify must answer; nothing of it was read */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = '', headers } = request;
    const handler = method === 'POST' ? this.handlers.get(url) : undefined;
    if (!handler || this.isClosing || !this.isCommon(request)) return false;
    const begin = performance.now();
    response.once('finish', () => this.parts.measure('POST', url, response.statusCode, performance.now() - begin));
    const reply = new DirectReply(response, headers);
    const exchange = { method: 'POST', raw: request, headers, query: {}, body: undefined } as DirectRequest;
    try {
      this.parts.admit(exchange, reply, url);
    } catch (error) {
      this.parts.problems.answer(error, reply);
      return true;
    }
    addVary(reply, 'accept-encoding');
    readBody(request, (bytes) => void this.answer(exchange, reply, handler, bytes));
    return true;
  }

  private isCommon({ headers }: IncomingMessage): boolean {
    return (
      JSON_TYPES.includes(headers['content-type']) &&
      headers['content-encoding'] === undefined &&
      headers.cookie === undefined &&
      Number(headers['content-length']) <= this.parts.bodyLimit
    );
  }

  private async answer(
    request: DirectRequest,
    reply: PlainReply,
    handler: DirectHandler,
    bytes: Buffer,
  ): Promise<void> {
    try {
      request.body = parseBody(bytes, reply);
      const body = await handler(request, reply);
      if (body !== undefined) reply.send(body);
    } catch (error) {
      this.parts.problems.answer(error, reply);
    }
  }
}

/** Node.js ends a body after `content-length` bytes. A client that disconnects before gets no answer. */
function readBody(request: IncomingMessage, onEnd: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.on('end', () => onEnd(Buffer.concat(chunks)));
}

/** As Fastify, ends the connection after a body that cannot be read. @throws ProblemError */
function parseBody(bytes: Buffer, reply: PlainReply): unknown {
  try {
    return readJsonBody(bytes);
  } catch (error) {
    reply.header('connection', 'close');
    throw error;
  }
}
