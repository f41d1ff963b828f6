import { domainToASCII } from 'node:url';
import { ToolError } from '@errand/contracts';

/** Ports that a pattern without one allows: those of http and https. */
const WEB_PORTS: readonly number[] = [80, 443];

const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
const HOST = new RegExp(`^(\\*|(\\*\\.)?${LABEL}(\\.${LABEL})*|\\[[0-9a-f:.]+\\])$`);

/** `api.example`, `*.example` for every name below it, or `*`; a port, or those of the web. */
export interface HostPattern {
  readonly host: string;
  readonly ports: readonly number[];
}

/**
 * Reads `host`, `host:port`, `*.host`, `*` or an address (IPv6 in brackets).
 * @throws Error naming what is none of these
 */
export function parseHostPattern(text: string): HostPattern {
  const [, name = '', port] = /^(.*?)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  // A wildcard is no name, so only what stands behind it can be brought into ASCII.
  const host = name.startsWith('*') ? `*${toAscii(name.slice(1))}` : toAscii(name);
  // What else an address may have would be cut off in silence on the way into ASCII.
  if (
    /[\s/?#@\\%]/.test(name) ||
    !HOST.test(host) ||
    (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535))
  ) {
    throw new Error(
      `'${text}' must be a host (api.example), all hosts below one (*.example), or '*', with a port where it is not 80 or 443 (db.example:5432); without scheme or path`,
    );
  }
  return { host, ports: port === undefined ? WEB_PORTS : [Number(port)] };
}

/** The hosts that a tool asks for. @throws ToolError SecurityError naming the tool and the entry that is no host */
export function readAllowHosts(toolId: string, allowHosts: readonly string[]): HostPattern[] {
  return allowHosts.map((text) => {
    try {
      return parseHostPattern(text);
    } catch (cause) {
      const message = `networkAccess.allowHosts of ${toolId}: ${(cause as Error).message}`;
      throw new ToolError('SecurityError', message, undefined, { cause });
    }
  });
}

/** Whether a pattern means this host, as `new URL` writes it, and this port. */
export function matchesHost({ host: pattern, ports }: HostPattern, host: string, port: number): boolean {
  return ports.includes(port) && matchesName(pattern, host.toLowerCase().replace(/\.$/, ''));
}

function matchesName(pattern: string, host: string): boolean {
  if (pattern === '*') return true;
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

function toAscii(name: string): string {
  const rest = name.replace(/^\./, '');
  if (rest === '' || rest.startsWith('[')) return name.toLowerCase();
  return name.startsWith('.') ? `.${domainToASCII(rest)}` : domainToASCII(rest);
}
