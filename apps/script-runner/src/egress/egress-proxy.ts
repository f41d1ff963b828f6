import { Agent, type IncomingMessage } from 'node:http';
import type { lookup, LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { RequestError, Server, type PrepareRequestFunctionOpts, type PrepareRequestFunctionResult } from 'proxy-chain';
import type { EgressPolicy } from './egress-policy.js';
import type { HostPattern } from './host-pattern.js';
import { EgressRefused, resolveByDns, resolveTarget, type Resolve } from './resolve-target.js';
import type { Tunnel } from './tunnel.js';

/** What one run may reach, and who hears of it. */
export interface EgressGrant {
  invocationId: string;
  toolId: string;
  hosts: readonly HostPattern[];
  /** The most bytes that may pass, both ways together. */
  maxBytes: number;
  /** The most connections in all. */
  maxConnections: number;
  /** Every connection that was tried, before it is dialled; `refused` says why it will not be, `hint` what an operator can do. */
  onConnect(connection: { host: string; port: number; refused?: string; hint?: string | undefined }): void;
}

/** One run's use of its grant. */
interface Usage {
  grant: EgressGrant;
  connections: number;
  bytes: number;
  /** Those that are open: they end together when the bytes are used up. */
  tunnels: Set<Tunnel>;
}

/**
 * The way from scripts to the hosts that tool and operator allow: an HTTP proxy (CONNECT, and plain http) that listens nowhere. Its
 * connections are handed to it, each with the grant of the run that it came from.
 */
export class EgressProxy {
  private readonly usages = new WeakMap<object, Usage>();
  private readonly server: Server;

  constructor(
    private readonly policy: EgressPolicy,
    private readonly resolve: Resolve = resolveByDns,
  ) {
    this.server = new Server({
      authRealm: 'errand-egress',
      prepareRequestFunction: (request) => this.prepare(request),
    });
  }

  /** What hands one run's connections to the proxy. */
  admit(grant: EgressGrant): (tunnel: Tunnel) => void {
    const usage: Usage = { grant, connections: 0, bytes: 0, tunnels: new Set() };
    return (tunnel) => {
      this.usages.set(tunnel, usage);
      usage.tunnels.add(tunnel);
      tunnel.once('close', () => usage.tunnels.delete(tunnel));
      tunnel.on('passed', (bytes: number) => count(usage, bytes));
      this.server.server.emit('connection', tunnel);
    };
  }

  close(): void {
    this.server.closeConnections();
  }

  private async prepare({
    request,
    hostname,
    port,
  }: PrepareRequestFunctionOpts): Promise<PrepareRequestFunctionResult> {
    const usage = this.usageOf(request);
    const { grant } = usage;
    const { toolId, hosts } = grant;
    const host = hostname.toLowerCase();
    try {
      if (++usage.connections > grant.maxConnections) throw tooMany(grant);
      const addresses = await resolveTarget({ toolId, asked: hosts, host, port }, this.policy, this.resolve);
      grant.onConnect({ host, port });
      // No connection is kept for later: it would outlive its run.
      return { dnsLookup: lookupIn(addresses), httpAgent: new Agent({ keepAlive: false }) };
    } catch (error) {
      if (!(error instanceof EgressRefused)) throw error;
      grant.onConnect({ host, port, refused: error.message, hint: error.hint });
      throw new RequestError(`${error.message}\n`, error.statusCode);
    }
  }

  private usageOf(request: IncomingMessage): Usage {
    const usage = this.usages.get(request.socket);
    if (!usage) throw new RequestError('This connection belongs to no run', 403);
    return usage;
  }
}

/** At the last allowed byte all connections of the run end: what was cut off shows as such. */
function count(usage: Usage, bytes: number): void {
  const { grant } = usage;
  const before = usage.bytes;
  usage.bytes += bytes;
  if (usage.bytes <= grant.maxBytes) return;
  if (before <= grant.maxBytes) {
    const refused = `${grant.toolId} has moved more than its ${grant.maxBytes} bytes over the network; all its connections were ended`;
    grant.onConnect({ host: '*', port: 0, refused });
  }
  for (const tunnel of usage.tunnels) tunnel.destroy();
}

function tooMany({ toolId, maxConnections }: EgressGrant): EgressRefused {
  return new EgressRefused(`${toolId} has opened more than its ${maxConnections} connections`, 429);
}

/** Answers with the addresses that were checked, whatever DNS would say by now. */
function lookupIn(addresses: readonly LookupAddress[]): typeof lookup {
  const response: LookupFunction = (_host, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, [...addresses]);
    else callback(null, first!.address, first!.family);
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what node:net asks of a look-up is less than dns.lookup is
  return response as typeof lookup;
}
