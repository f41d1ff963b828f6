import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import { mcpProblem } from '../http/mcp-problem.js';
import { drained } from '../stream/send-event-stream.js';
import type { McpExchange } from './mcp-exchange.js';

/** Proxies and clients give up a connection that is silent for long. */
const KEEP_ALIVE_MS = 15_000;
const EVENT_STREAM = 'text/event-stream';
const KEEP_ALIVE = ': keepalive\n\n';

/**
 * Sends the response of the SDK. Its head is sent with its first bytes, so that a refusal keeps its status (429, 503). A call that takes
 * long becomes an event stream with keep-alives, because the SDK has none before its first message. A client that does not read is
 * disconnected.
 * @param keepAliveMs the interval of the keep-alives before the response begins
 */
export async function sendMcpResponse(
  reply: FastifyReply,
  exchange: McpExchange,
  pending: Promise<Response>,
  keepAliveMs: number = KEEP_ALIVE_MS,
): Promise<void> {
  const raw = takeResponse(reply);
  const keepAlive = setInterval(() => {
    if (!raw.headersSent) raw.writeHead(200, { 'content-type': EVENT_STREAM, 'cache-control': 'no-store' });
    raw.write(KEEP_ALIVE);
  }, keepAliveMs);
  try {
    const response = await pending;
    if (isEventStream(response)) await sendStream(raw, response, exchange, () => clearInterval(keepAlive));
    else await sendWhole(raw, response, exchange);
  } catch {
    // The response may have begun and cannot report an error.
    raw.destroy();
  } finally {
    clearInterval(keepAlive);
  }
}

async function sendWhole(raw: ServerResponse, response: Response, exchange: McpExchange): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  if (raw.headersSent) return void raw.end(`event: message\ndata: ${body.toString()}\n\n`);
  if (exchange.refusal) return sendRefusal(raw, exchange, body);
  raw.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': body.length }).end(body);
}

/** The response of Node.js, with the headers that Fastify has for it. Fastify sends nothing from now on. */
export function takeResponse(reply: FastifyReply): ServerResponse {
  const { raw } = reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  return raw;
}

async function sendStream(
  raw: ServerResponse,
  response: Response,
  exchange: McpExchange,
  onFirst: () => void,
): Promise<void> {
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    onFirst();
    if (exchange.refusal && !raw.headersSent) return sendRefusal(raw, exchange, value ?? new Uint8Array());
    if (!raw.headersSent) raw.writeHead(response.status, Object.fromEntries(response.headers));
    if (done) return void raw.end();
    if (!raw.write(value) && !(await drained(raw))) return void raw.destroy();
  }
}

/** The error of the SDK has the id of the request. The refusal adds the status and `Retry-After`. */
function sendRefusal(raw: ServerResponse, { refusal }: McpExchange, body: Uint8Array): void {
  if (!refusal) return;
  if (refusal.retryAfter !== undefined) raw.setHeader('retry-after', String(refusal.retryAfter));
  const error = JSON.stringify(mcpProblem(refusal, undefined, idIn(Buffer.from(body).toString())));
  raw.writeHead(refusal.status, { 'content-type': 'application/json' }).end(error);
}

/** The id of the JSON-RPC message in a body, which is JSON or one event. */
function idIn(body: string): unknown {
  try {
    const { id = null } = JSON.parse(body.slice(body.indexOf('{'))) as { id?: unknown };
    return id;
  } catch {
    return null;
  }
}

function isEventStream({ headers, body }: Response): boolean {
  return body !== null && headers.get('content-type')?.startsWith(EVENT_STREAM) === true;
}
