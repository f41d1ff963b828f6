import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Network } from '../address-rules.js';
import { AddressLimit } from './address-limit.js';
import { originCheck, type OriginSettings, type Refusal } from './check-origin.js';
import { answerText, closeSoon } from './close-socket.js';
import { Connection } from './connection.js';
import { allowOrigin, answerOptions } from './cors.js';
import { PROBLEM_TYPE, problemBody } from './problem-body.js';

/** What the operator says about clients. */
export interface ServingSettings extends OriginSettings {
  ERRAND_REQUEST_TIMEOUT_MS: number;
  ERRAND_KEEP_ALIVE_MS: number;
  ERRAND_CONNECTIONS_PER_ADDRESS: number;
  ERRAND_TRUSTED_PROXIES: readonly Network[];
}

export interface ServerParts {
  /** Gets every request that may pass. */
  handler: RequestListener;
  /** The methods of a path, for the answer to OPTIONS. */
  methodsOf: (path: string) => readonly string[];
  onRefused?: (reason: Refusal['reason']) => void;
  tickMs?: number;
}

const HEAD_MS = 10_000;
const TICK_MS = 1_000;

/**
 * Returns an HTTP server that checks `Origin` and `Host` before its handler sees a request, and that bounds its clients: the time of the
 * head, of the body and between requests, answers that are not read, pipelined requests, and connections of one address. An answer may
 * take as long as it wants to begin. A client that closes its sending side has hung up.
 */
export function createBoundedServer(settings: ServingSettings, parts: ServerParts): Server {
  const { onRefused = () => {}, tickMs = TICK_MS } = parts;
  const server = createServer({
    requestTimeout: settings.ERRAND_REQUEST_TIMEOUT_MS,
    headersTimeout: Math.min(HEAD_MS, settings.ERRAND_REQUEST_TIMEOUT_MS),
    keepAliveTimeout: settings.ERRAND_KEEP_ALIVE_MS,
    connectionsCheckingInterval: tickMs,
    // A second Host, Origin or Content-Type makes the value one that no check accepts, instead of being dropped.
    joinDuplicateHeaders: true,
    // `originCheck` answers with a problem.
    requireHostHeader: false,
  });
  const connections = acceptConnections(server, settings, onRefused);
  const guarded = guardOrigins(settings, { ...parts, onRefused });
  const take = (request: IncomingMessage, response: ServerResponse) =>
    connections.get(request.socket)?.handle(request, response, guarded);
  server.on('request', take);
  // A server may ignore expectations that it does not know (RFC 9110, 10.1.1).
  server.on('checkExpectation', take);
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    const detail = 'This server is not a proxy: it has no CONNECT';
    closeSoon(socket, answerText({ reason: 'malformed', code: 'invalid_request', detail, status: 405 }));
  });
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    const refusal = connections.get(socket)?.fail(code);
    if (refusal) onRefused(refusal.reason);
  });
  const maxIdleTicks = Math.ceil((settings.ERRAND_KEEP_ALIVE_MS + settings.ERRAND_REQUEST_TIMEOUT_MS) / tickMs);
  const tick = () => connections.forEach((connection) => connection.tick(maxIdleTicks));
  server.once('listening', () => {
    const timer = setInterval(tick, tickMs).unref();
    server.once('close', () => clearInterval(timer));
  });
  return server;
}

/** Every connection that was accepted, by its socket. Those above the limit of their address are answered at once, and never handled. */
function acceptConnections(
  server: Server,
  settings: ServingSettings,
  onRefused: (reason: Refusal['reason']) => void,
): ReadonlyMap<Socket, Connection> {
  const connections = new Map<Socket, Connection>();
  const limit = new AddressLimit(settings.ERRAND_CONNECTIONS_PER_ADDRESS, settings.ERRAND_TRUSTED_PROXIES);
  server.prependListener('connection', (socket) => {
    // The client may have gone already.
    if (socket.remoteAddress === undefined) return void socket.destroy();
    const release = limit.take(socket.remoteAddress);
    if (!release) {
      onRefused('connections');
      socket.end(answerText(tooManyConnections(settings)));
      return socket.destroySoon();
    }
    connections.set(socket, new Connection(socket));
    socket.once('close', () => {
      connections.delete(socket);
      release();
    });
  });
  return connections;
}

function tooManyConnections({ ERRAND_CONNECTIONS_PER_ADDRESS: limit }: ServingSettings): Refusal {
  const detail = `Your address has ${limit} connections already; ERRAND_CONNECTIONS_PER_ADDRESS sets the limit, ERRAND_TRUSTED_PROXIES lifts it for proxies`;
  return { reason: 'connections', code: 'rate_limited', detail };
}

function guardOrigins(
  settings: ServingSettings,
  { handler, methodsOf, onRefused }: Required<Omit<ServerParts, 'tickMs'>>,
): RequestListener {
  const check = originCheck(settings);
  return (request, response) => {
    const { refusal, cors } = check(request);
    allowOrigin(response, cors);
    if (request.method === 'OPTIONS') return answerOptions(response, cors, methodsOf(pathOf(request)));
    if (!refusal) return handler(request, response);
    onRefused(refusal.reason);
    const body = problemBody(refusal.code, refusal.detail, refusal.status);
    const text = JSON.stringify(body);
    const head = { 'content-type': PROBLEM_TYPE, 'content-length': Buffer.byteLength(text) };
    response.writeHead(body.status, head).end(text);
  };
}

const pathOf = ({ url = '' }: IncomingMessage) => url.split('?', 1)[0] ?? '';
