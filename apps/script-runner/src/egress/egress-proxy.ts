import { Agent, type IncomingMessage } from 'node:http';
import type { lookup, LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { RequestError, Server, type PrepareRequestFunctionOpts, type PrepareRequestFunctionResult } from 'proxy-chain';
import type { EgressPolicy } from './egress-policy.js';
import type { HostPattern } from './host-pattern.js';
import { EgressRefused, resolveByDns, resolveTarget, type Resolve } from './resolve-target.js';
import type { Tunnel } from './tunnel.js';

/** The network access of one run. */
export interface EgressGrant {
  invocationId: string;
  toolId: string;
  hosts: readonly HostPattern[];
  /** Maximum bytes in both directions together. */
  maxBytes: number;
  /** Maximum connections in all. */
  maxConnections: number;
  /** Receives each requested connection before it is made. `refused` is the reason of a refusal, `hint` is for the operator. */
  onConnect(connection: { host: string; port: number; refused?: string; hint?: string | undefined }): void;
}

/** The use of a grant by its run. */
interface Usage {
  grant: EgressGrant;
  connections: number;
  bytes: number;
  /** The open tunnels. They end together when the bytes are used up. */
  tunnels: Set<Tunnel>;
}

/**
 * An HTTP proxy (CONNECT and plain http) from scripts to the hosts that tool and operator allow. It listens on no port. It
 * gets each connection from a tunnel, with the grant of the run.
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

  /** @returns a function that gives a connection of the run to the proxy */
  open(grant: EgressGrant): (tunnel: Tunnel) => void {
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
      const addresses = await resolveTarget({ toolId, toolHosts: hosts, host, port }, this.policy, this.resolve);
      grant.onConnect({ host, port });
      // No connection is kept alive, because it would outlive its run.
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

/** Ends all connections of the run when the bytes are used up, so that the script sees an incomplete transfer. */
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

/** A lookup that returns the checked addresses and does not ask DNS again. */
function lookupIn(addresses: readonly LookupAddress[]): typeof lookup {
  const lookUp: LookupFunction = (host, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, [...addresses]);
    else if (first) callback(null, first.address, first.family);
    else callback(new Error(`${host} has no address`), '');
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- node:net needs only a part of dns.lookup
  return lookUp as typeof lookup;
}
