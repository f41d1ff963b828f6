import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Network, isInNetworks } from '../address-rules.js';
import { originCheck, type OriginSettings, type RequestRefusal } from './check-origin.js';
import { answerText, closeSoon } from './close-socket.js';
import { Connection } from './connection.js';
import { allowOrigin, answerOptions } from './cors.js';
import { PROBLEM_TYPE, problemBody } from './problem-body.js';
import ipaddr from 'ipaddr.js';

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
  onRefused?: (reason: RequestRefusal['reason']) => void;
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
  onRefused: (reason: RequestRefusal['reason']) => void,
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

function tooManyConnections({ ERRAND_CONNECTIONS_PER_ADDRESS: limit }: ServingSettings): RequestRefusal {
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

/** An IPv6 customer has a whole /64 and can take another address of it for each connection. */
const IPV6_PARTS = 4;

/** Counts the open connections of each address, and refuses those above a limit. */
export class AddressLimit {
  private readonly open = new Map<string, number>();

  /**
   * @param limit 0 counts nothing
   * @param proxies networks that are not counted; neither is loopback
   */
  constructor(
    private readonly limit: number,
    private readonly proxies: readonly Network[],
  ) {}

  /** Returns what releases the connection again; undefined where the address has as many as it may. */
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

/** The address that connections are counted under: an IPv4 address, or an IPv6 /64. Undefined where they are not counted. */
export function countedAs(text: string, proxies: readonly Network[]): string | undefined {
  const address = ipaddr.process(text);
  if (address.range() === 'loopback' || isInNetworks(proxies, address)) return undefined;
  if (address instanceof ipaddr.IPv4) return address.toString();
  return address.parts.slice(0, IPV6_PARTS).join(':');
}
