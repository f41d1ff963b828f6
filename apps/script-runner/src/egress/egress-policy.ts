import { parseAllowList, type AllowList } from '@errand/platform';
import { matchesHost, parseHostPattern, type HostPattern } from './host-pattern.js';

/** What the operator lets scripts reach at the most. */
export interface EgressPolicy {
  readonly hosts: readonly HostPattern[];
  /** Networks that may be dialled although they are not public. */
  readonly networks: AllowList;
}

/**
 * Reads `ERRAND_EGRESS_ALLOW`: hosts as in a tool's `allowHosts`, and addresses or networks (`10.1.0.0/16`) that may be dialled
 * although they are not public.
 * @throws Error naming the entry that is neither
 */
export function parseEgressPolicy(entries: readonly string[]): EgressPolicy {
  const isNetwork = (entry: string) => /^[\d.]+(\/\d+)?$|^\[?[\da-f]*:[\da-f:.]+\]?(\/\d+)?$/i.test(entry);
  return {
    hosts: entries.filter((entry) => !isNetwork(entry)).map(parseHostPattern),
    networks: parseAllowList(entries.filter(isNetwork).join(' ')),
  };
}

/** Who asks for what, and what the tool's definition asks for on its behalf. */
export interface EgressRequest {
  toolId: string;
  asked: readonly HostPattern[];
  /** As `new URL` writes it: lower case, an IPv6 address in brackets. */
  host: string;
  port: number;
  /** Whether `host` is an address, which the networks of the policy then judge. */
  isAddress: boolean;
}

/** Why a host may not be reached, for the script, and the way to allow it, for the operator's log. */
export interface EgressRefusal {
  why: string;
  hint: string;
}

/** Why a script may not even try to reach a host; undefined: it may, if the addresses behind it pass. */
export function refuseHost(
  { toolId, asked, host, port, isAddress }: EgressRequest,
  policy: EgressPolicy,
): EgressRefusal | undefined {
  const target = `${host}:${port}`;
  const entry = [80, 443].includes(port) ? host : target;
  const fits = (patterns: readonly HostPattern[]) => patterns.some((pattern) => matchesHost(pattern, host, port));
  if (!fits(asked)) {
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

/** The words for a host whose address is none that may be dialled. */
export function refuseAddress(toolId: string, target: string, fault: string): EgressRefusal {
  return {
    why: `${toolId} may not reach ${target}: ${fault}.`,
    hint: 'To allow it, add the address or its network to ERRAND_EGRESS_ALLOW of the script-runner.',
  };
}
