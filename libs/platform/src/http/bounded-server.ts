import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientOf, type Network, isInNetworks } from '../address-rules.js';
import { originCheck, type OriginSettings, type RequestRefusal } from './check-origin.js';
import { responseText, closeSoon } from './close-socket.js';
import { Connection, TIMEOUT } from './connection.js';
import { allowOrigin, respondToOptions } from './cors.js';
import { PROBLEM_TYPE, problemBody } from './problem-body.js';
import { Standstill } from './standstill.js';
import ipaddr from 'ipaddr.js';

/** The limits of clients. */
export interface ServingSettings extends OriginSettings {
  ERRAND_REQUEST_TIMEOUT_MS: number;
  ERRAND_KEEP_ALIVE_MS: number;
  ERRAND_CONNECTIONS_PER_ADDRESS: number;
  ERRAND_TRUSTED_PROXIES: readonly Network[];
}

interface ServerParts {
  /** Handles each request that passes the checks. */
  handler: RequestListener;
  /** The methods of a path, for the response to OPTIONS. */
  methodsOf: (path: string) => readonly string[];
  onRefused?: (reason: RequestRefusal['reason']) => void;
  tickMs?: number;
}

const HEAD_MS = 10_000;
const TICK_MS = 1_000;

/**
 * Returns an HTTP server that checks `Origin` and `Host` before its handler gets a request. It bounds its clients: the
 * time of the head, of the body and between requests, unread responses, pipelined requests, and connections per
 * address. A response may start at any time. A client that closes its sending side has hung up.
 */
export function createBoundedServer(settings: ServingSettings, parts: ServerParts): Server {
  const { onRefused = () => {}, tickMs = TICK_MS } = parts;
  const server = createServer({
    requestTimeout: settings.ERRAND_REQUEST_TIMEOUT_MS,
    headersTimeout: Math.min(HEAD_MS, settings.ERRAND_REQUEST_TIMEOUT_MS),
    keepAliveTimeout: settings.ERRAND_KEEP_ALIVE_MS,
    connectionsCheckingInterval: tickMs,
    // A second Host, Origin or Content-Type is joined to the first, and no check accepts the result. By default,
    // Node.js drops it.
    joinDuplicateHeaders: true,
    // `originCheck` responds with a problem.
    requireHostHeader: false,
  });
  const connections = acceptConnections(server, settings, onRefused);
  const guarded = guardOrigins(settings, { ...parts, onRefused });
  const take = (request: IncomingMessage, response: ServerResponse) =>
    connections.get(request.socket)?.handle(request, response, guarded);
  server.on('request', take);
  // A server may ignore unknown expectations (RFC 9110, 10.1.1).
  server.on('checkExpectation', take);
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    const detail = 'This server is not a proxy and does not support CONNECT';
    closeSoon(socket, responseText({ reason: 'malformed', code: 'invalid_request', detail, status: 405 }));
  });
  const standstill = new Standstill(tickMs);
  const requestTicks = Math.ceil(settings.ERRAND_REQUEST_TIMEOUT_MS / tickMs);
  const fail = (connection: Connection | undefined, code: string | undefined) => {
    const refusal = connection?.fail(code);
    if (refusal) onRefused(refusal.reason);
  };
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    const connection = connections.get(socket);
    if (code === TIMEOUT && standstill.wasWithin(settings.ERRAND_REQUEST_TIMEOUT_MS)) connection?.extend(requestTicks);
    else fail(connection, code);
  });
  const maxIdleTicks = Math.ceil((settings.ERRAND_KEEP_ALIVE_MS + settings.ERRAND_REQUEST_TIMEOUT_MS) / tickMs);
  const tick = () => {
    standstill.tick();
    for (const connection of connections.values()) if (connection.tick(maxIdleTicks)) fail(connection, TIMEOUT);
  };
  server.once('listening', () => {
    const timer = setInterval(tick, tickMs).unref();
    server.once('close', () => clearInterval(timer));
  });
  return server;
}

/**
 * All accepted connections by socket. A connection above the limit of its address gets a response at once, and is never
 * handled.
 */
function acceptConnections(
  server: Server,
  settings: ServingSettings,
  onRefused: (reason: RequestRefusal['reason']) => void,
): ReadonlyMap<Socket, Connection> {
  const connections = new Map<Socket, Connection>();
  const limit = new AddressLimit(settings.ERRAND_CONNECTIONS_PER_ADDRESS, settings.ERRAND_TRUSTED_PROXIES);
  server.prependListener('connection', (socket) => {
    // The client may be gone already.
    if (socket.remoteAddress === undefined) return void socket.destroy();
    const release = limit.take(socket.remoteAddress);
    if (!release) {
      onRefused('connections');
      socket.end(responseText(tooManyConnections(settings)));
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

function tooManyConnections({ ERRAND_CONNECTIONS_PER_ADDRESS: limit }: ServingSettings): RequestRefusal {
  const detail = `Your address already has ${limit} connections; ERRAND_CONNECTIONS_PER_ADDRESS sets the limit, ERRAND_TRUSTED_PROXIES exempts proxies`;
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
    if (request.method === 'OPTIONS') return respondToOptions(response, cors, methodsOf(pathOf(request)));
    if (!refusal) return handler(request, response);
    onRefused(refusal.reason);
    const body = problemBody(refusal.code, refusal.detail, refusal.status);
    const text = JSON.stringify(body);
    const head = { 'content-type': PROBLEM_TYPE, 'content-length': Buffer.byteLength(text) };
    response.writeHead(body.status, head).end(text);
  };
}

const pathOf = ({ url = '' }: IncomingMessage) => url.split('?', 1)[0] ?? '';

/** Counts the open connections of each address, and refuses those above a limit. */
class AddressLimit {
  private readonly open = new Map<string, number>();

  /**
   * @param limit 0 means no limit
   * @param proxies networks that are not counted; loopback is not counted either
   */
  constructor(
    private readonly limit: number,
    private readonly proxies: readonly Network[],
  ) {}

  /** Returns a function that releases the connection; undefined if the address is at its limit. */
  take(address: string): (() => void) | undefined {
    const key = this.limit === 0 ? undefined : countedAs(address, this.proxies);
    if (key === undefined) return () => {};
    const count = this.open.get(key) ?? 0;
    if (count >= this.limit) return undefined;
    this.open.set(key, count + 1);
    return () => this.release(key);
  }

  private release(key: string): void {
    const count = this.open.get(key) ?? 0;
    if (count > 1) this.open.set(key, count - 1);
    else this.open.delete(key);
  }
}

/** The key for counting connections. Undefined if they are not counted. */
function countedAs(text: string, proxies: readonly Network[]): string | undefined {
  const address = ipaddr.process(text);
  return address.range() === 'loopback' || isInNetworks(proxies, address) ? undefined : clientOf(text);
}
