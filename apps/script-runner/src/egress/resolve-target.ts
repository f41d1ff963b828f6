import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { addressFault } from '@errand/platform';
import {
  refuseAddress,
  refuseHost,
  type EgressPolicy,
  type EgressRequest,
  type EgressRefusal,
} from './egress-policy.js';

/** Asks DNS for all addresses of a name. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

export const resolveByDns: Resolve = (host) => dns.lookup(host, { all: true });

/**
 * The host is not allowed (403), the run has too many connections (429), or the host has no address (502). The script gets
 * the message, and the operator's log the hint.
 */
export class EgressRefused extends Error {
  constructor(
    message: string,
    readonly statusCode: 403 | 429 | 502,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/**
 * Resolves a host once and checks all its addresses, so that the proxy connects only to checked addresses. One forbidden
 * address refuses them all: such a DNS response can be an attack.
 * @throws EgressRefused
 */
export async function resolveTarget(
  request: Omit<EgressRequest, 'isAddress'>,
  policy: EgressPolicy,
  resolve: Resolve = resolveByDns,
): Promise<LookupAddress[]> {
  const { toolId, host, port } = request;
  const target = `${host}:${port}`;
  const literal = host.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(literal);
  const refusal = refuseHost({ ...request, isAddress: family !== 0 }, policy);
  if (refusal) throw refused(refusal);
  const addresses = family ? [{ address: literal, family }] : await lookUp(host, target, resolve);
  for (const { address } of addresses) {
    const fault = addressFault(address, policy.networks);
    if (fault) throw refused(refuseAddress(toolId, target, fault));
  }
  return addresses;
}

function refused({ why, hint }: EgressRefusal): EgressRefused {
  return new EgressRefused(why, 403, hint);
}

async function lookUp(host: string, target: string, resolve: Resolve): Promise<LookupAddress[]> {
  const addresses = await resolve(host).catch((error: NodeJS.ErrnoException) => {
    throw new EgressRefused(
      `${target} cannot be reached: its name cannot be resolved (${error.code ?? error.message})`,
      502,
    );
  });
  if (addresses.length > 0) return addresses;
  throw new EgressRefused(`${target} cannot be reached: its name has no address`, 502);
}
