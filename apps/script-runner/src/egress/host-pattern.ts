import { domainToASCII } from 'node:url';
import { ToolError } from '@errand/contracts';

/** A pattern without a port allows the ports of http and https. */
const WEB_PORTS: readonly number[] = [80, 443];

const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
const HOST = new RegExp(`^(\\*|(\\*\\.)?${LABEL}(\\.${LABEL})*|\\[[0-9a-f:.]+\\])$`);

/** A host such as `api.example`, `*.example` for every name below it, or `*`, with its allowed ports. */
export interface HostPattern {
  readonly host: string;
  readonly ports: readonly number[];
}

/**
 * Parses `host`, `host:port`, `*.host`, `*` or an address (IPv6 in brackets).
 * @throws Error that names another text
 */
export function parseHostPattern(text: string): HostPattern {
  const [, name = '', port] = /^(.*?)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  // `domainToASCII` does not accept a wildcard, so it gets only the part behind it.
  const host = name.startsWith('*') ? `*${toAscii(name.slice(1))}` : toAscii(name);
  // `domainToASCII` would cut the other parts of a URL without an error.
  if (
    /[\s/?#@\\%]/.test(name) ||
    !HOST.test(host) ||
    (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535))
  ) {
    throw new Error(
      `'${text}' must be a host (api.example), all hosts below one (*.example), or '*', with a port if it is not 80 or 443 (db.example:5432); without scheme or path`,
    );
  }
  return { host, ports: port === undefined ? WEB_PORTS : [Number(port)] };
}

/** Parses the hosts of a tool. @throws ToolError SecurityError that names the tool and the wrong entry */
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

/** Whether a pattern matches a host, in the form of `new URL`, and a port. */
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
