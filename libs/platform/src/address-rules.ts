import { ToolError } from '@errand/contracts';
import ipaddr from 'ipaddr.js';
import { list } from './parsers.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** The first address of a network, and the number of bits that all its addresses share. */
export type Network = readonly [Address, number];

/** Hosts and networks that the operator allows although they are not public. */
export interface AllowList {
  /** In lower case: `hooks.example`, or `*.example` for each name below it. */
  readonly hosts: readonly string[];
  readonly networks: readonly Network[];
}

export const ALLOW_NOTHING: AllowList = { hosts: [], networks: [] };

/** A public address that each host of Azure answers itself. It hands out settings and certificates. */
const AZURE_HOST = '168.63.129.16';

/** Host names of the metadata services of clouds. Each cloud resolves them to its own address. */
const METADATA_HOST = /^(metadata(\.google\.internal|\.goog)?|instance-data(\.ec2\.internal)?)\.?$/i;

/** Characters that `new URL` drops without an error: blanks, control characters, an empty user name. */
const BLANK = /[\s\p{Cc}]/u;
const USER = /^[a-z+.-]+:[/\\]*[^/\\?#]*@/i;

/** Octets of a name and of one part of it (RFC 1035, 2.3.4). */
const MAX_HOST = 253;
const MAX_LABEL = 63;

const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
const HOST = new RegExp(`^(\\*\\.)?${LABEL}(\\.${LABEL})*$`);
/**
 * The range of all IPv6 addresses of the public internet. Addresses outside are refused, also if no table of special
 * ranges lists them.
 */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Reads `ERRAND_CALLBACK_ALLOW`: host names, `*.example` for all names below one, addresses and networks
 * (`10.1.0.0/16`), separated by blanks or commas.
 * @throws Error that names the first invalid entry
 */
export function parseAllowList(text: string): AllowList {
  const hosts: string[] = [];
  const networks: Network[] = [];
  for (const entry of entriesOf(text)) {
    const network = readNetwork(entry);
    if (network) networks.push(network);
    else hosts.push(readHost(entry));
  }
  return { hosts, networks };
}

/**
 * Reads addresses and networks (`10.1.0.0/16`), separated by blanks or commas.
 * @throws Error that names the first invalid entry
 */
export function parseNetworks(text: string): Network[] {
  return entriesOf(text).map((entry) => {
    const network = readNetwork(entry);
    if (network) return network;
    throw new Error(`'${entry}' must be an address (10.1.2.3) or a network (10.1.0.0/16)`);
  });
}

const entriesOf = list(/[\s,]+/);

function readNetwork(entry: string): Network | undefined {
  const text = entry.replace(/^\[(.*)\]$/, '$1');
  if (ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)) {
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  if (!ipaddr.IPv4.isValidCIDRFourPartDecimal(text) && !ipaddr.IPv6.isValidCIDR(text)) return undefined;
  const [address, bits] = ipaddr.parseCIDR(text);
  const first = (
    address.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(text) : ipaddr.IPv6.networkAddressFromCIDR(text)
  ).toString();
  if (first !== address.toString())
    throw new Error(`'${entry}' is not a network: its first address is ${first}/${bits}`);
  return [address, bits];
}

function readHost(entry: string): string {
  const name = entry.toLowerCase();
  const fault = lengthFault(name.replace(/^\*\./, 'a.'));
  if (fault) throw new Error(`'${entry.slice(0, 100)}' cannot be a host: ${fault}`);
  // A name whose last part is a number is an old spelling of an address, or a mistyped network. It would never match.
  if (HOST.test(name) && !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(name)) return name;
  throw new Error(
    `'${entry}' must be a host (hooks.example), all hosts below one (*.hooks.example), an address or a network (10.1.0.0/16), without scheme, port or path`,
  );
}

/** Whether the operator allows this host. Errand then does not check its addresses. */
export function allowsHost({ hosts }: AllowList, hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return hosts.some((host) => (host.startsWith('*.') ? name.endsWith(host.slice(1)) : name === host));
}

/**
 * The reason why Errand may not connect to an address; undefined if it may. An IPv4 address that is mapped to IPv6 is
 * checked as IPv4.
 */
export function addressFault(text: string, allow: AllowList): string | undefined {
  if (!ipaddr.isValid(text)) return `'${text}' is not an address`;
  const address = ipaddr.process(text);
  if (isInNetworks(allow.networks, address)) return undefined;
  if (address.toString() === AZURE_HOST) return `${text} is not public (metadata)`;
  const range = address.range();
  if (range !== 'unicast') return `${text} is not public (${range})`;
  return address.kind() === 'ipv4' || contains(...GLOBAL_IPV6, address) ? undefined : `${text} is not public`;
}

export function isInNetworks(networks: readonly Network[], address: Address): boolean {
  return networks.some(([network, bits]) => contains(network, bits, address));
}

function contains(network: Address, bits: number, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}

/**
 * Reads a URL that came with data, and refuses it if that is possible without DNS. The connector checks the rest. `new
 * URL` has normalized each spelling of an IP address (decimal, octal, hex, circled digits).
 * @throws ToolError SecurityError with the reason
 */
export function checkCallbackUrl(text: string, allow: AllowList): URL {
  if (BLANK.test(text) || !URL.canParse(text))
    throw refused(text, 'it must be an absolute address such as https://example.com/path');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused(text, 'only http and https are allowed');
  if (USER.test(text)) throw refused(text, 'it must not contain a user name or password');
  const fault = hostFault(url.hostname, allow);
  if (fault) throw refused(text, fault);
  return url;
}

/**
 * The reason why a host name is too long for DNS; undefined if it is not. The dot at the end of a full name does not
 * count.
 */
function lengthFault(hostname: string): string | undefined {
  const name = hostname.replace(/\.$/, '');
  if (name.length > MAX_HOST) return `its host has ${name.length} characters, and a host has at most ${MAX_HOST}`;
  const label = name.split('.').find((part) => part.length > MAX_LABEL);
  return label && `'${label.slice(0, 20)}…' in its host has ${label.length} characters, and a part between dots has at most ${MAX_LABEL}`; // prettier-ignore
}

/** The reason why a host is refused, in the form that a connection uses: an IPv6 address with or without brackets. */
export function hostFault(hostname: string, allow: AllowList): string | undefined {
  const tooLong = lengthFault(hostname);
  if (tooLong !== undefined) return tooLong;
  if (allowsHost(allow, hostname)) return undefined;
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (ipaddr.isValid(literal)) return addressFault(literal, allow);
  if (METADATA_HOST.test(hostname)) return `${hostname} is not public (metadata)`;
  return /(^|\.)localhost\.?$/i.test(hostname) ? `${hostname} is this machine` : undefined;
}

/** The error for a refused address. The message does not contain secrets of the address. */
export function refused(address: string, reason: string): ToolError {
  const shown = address.replace(/\/\/[^/?#]*@/, '//…@').replace(/[?#].*$/s, '');
  return new ToolError('SecurityError', `The address ${shown.slice(0, 200)} is not allowed: ${reason}`, { reason });
}

/** A customer with IPv6 has a /64 network, and can use another address for each connection. */
const IPV6_PARTS = 4;

/** The client of an address, for counting: an IPv4 address or an IPv6 /64. @throws Error for a text that is no address */
export function clientOf(text: string): string {
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv4 ? address.toString() : address.parts.slice(0, IPV6_PARTS).join(':');
}
