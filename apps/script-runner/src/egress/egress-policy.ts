import { parseAllowList, type AllowList } from '@errand/platform';
import { matchesHost, parseHostPattern, type HostPattern } from './host-pattern.js';

/** The hosts and networks that the operator allows. */
export interface EgressPolicy {
  readonly hosts: readonly HostPattern[];
  /** Networks that scripts may reach although they are not public. */
  readonly networks: AllowList;
}

/**
 * Parses `ERRAND_EGRESS_ALLOW`: hosts as in a tool's `allowHosts`, and addresses or networks (`10.1.0.0/16`) that scripts
 * may reach although they are not public.
 * @throws Error that names an entry that is neither
 */
export function parseEgressPolicy(entries: readonly string[]): EgressPolicy {
  const isNetwork = (entry: string) => /^[\d.]+(\/\d+)?$|^\[?[\da-f]*:[\da-f:.]+\]?(\/\d+)?$/i.test(entry);
  return {
    hosts: entries.filter((entry) => !isNetwork(entry)).map(parseHostPattern),
    networks: parseAllowList(entries.filter(isNetwork).join(' ')),
  };
}

/** A requested connection, and the hosts that the definition of the tool names. */
export interface EgressRequest {
  toolId: string;
  toolHosts: readonly HostPattern[];
  /** In the form of `new URL`: lower case, an IPv6 address in brackets. */
  host: string;
  port: number;
  /** Whether `host` is an address. Then the networks of the policy decide. */
  isAddress: boolean;
}

/** The reason of a refusal, for the script, and a hint for the operator's log. */
export interface EgressRefusal {
  why: string;
  hint: string;
}

/** Returns undefined if the host is allowed. Its addresses are then checked separately. */
export function refuseHost(
  { toolId, toolHosts, host, port, isAddress }: EgressRequest,
  policy: EgressPolicy,
): EgressRefusal | undefined {
  const target = `${host}:${port}`;
  const entry = [80, 443].includes(port) ? host : target;
  const fits = (patterns: readonly HostPattern[]) => patterns.some((pattern) => matchesHost(pattern, host, port));
  if (!fits(toolHosts)) {
    return {
      why: `${toolId} may not reach ${target}: its definition does not name it.`,
      hint: `To allow it, add "${entry}" to securityContext.networkAccess.allowHosts of the tool.`,
    };
  }
  if (!isAddress && !fits(policy.hosts)) {
    return {
      why: `${toolId} may not reach ${target}: this installation does not allow it.`,
      hint: `To allow it, add ${entry} to ERRAND_EGRESS_ALLOW of the script-runner.`,
    };
  }
  return undefined;
}

/** Returns the refusal of a host whose address is not allowed. */
export function refuseAddress(toolId: string, target: string, fault: string): EgressRefusal {
  return {
    why: `${toolId} may not reach ${target}: ${fault}.`,
    hint: 'To allow it, add the address or its network to ERRAND_EGRESS_ALLOW of the script-runner.',
  };
}
