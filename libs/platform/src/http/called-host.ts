import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { rememberRecent } from './remember-recent.js';

/** A name, an IPv4 address or an IPv6 address in brackets, and a port: no user name, no path, no percent signs, no blanks. */
const AUTHORITY = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::\d{1,5})?$/i;

/**
 * Reads an origin (`https://app.example`, RFC 6454) and returns its one form: lower case, no default port, no trailing dot, IP
 * addresses as URLs write them. Returns undefined for anything else, such as `null`, a list, or an origin with a path.
 */
export function readOrigin(text: string): string | undefined {
  const [, scheme, authority = ''] = /^(https?):\/\/([^/]*)$/i.exec(text) ?? [];
  const plain = authority.replace(/\.(?=$|:\d*$)/, '');
  const address = `${scheme}://${plain}`;
  if (scheme === undefined || !AUTHORITY.test(plain) || !URL.canParse(address)) return undefined;
  return new URL(address).origin;
}

/** The host of an origin that `readOrigin` returned. */
export function hostOf(origin: string): string {
  return new URL(origin).hostname;
}

/** The parts of a request that name its origin and its target. */
export type RequestHead = Pick<IncomingMessage, 'url' | 'httpVersion' | 'headers'>;

/** The server that a request names. */
export interface CalledHost {
  /** The host as the request wrote it, for messages. */
  written: string;
  /**
   * The origin that a page of this server has for the client; undefined if the request names no readable host, or two.
   */
  origin: string | undefined;
}

/**
 * Returns the host that a request named. An absolute target (`GET http://host/path`) comes before the `Host` header
 * (RFC 9112, 3.2.2). If both exist and differ, the request names no reliable host.
 */
export function calledHost({ url = '', headers: { host = '' } }: RequestHead): CalledHost {
  const named = originOfHost(host);
  const [, target] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)/i.exec(url) ?? [];
  if (target === undefined) return { written: host, origin: named };
  const origin = readOrigin(target);
  return origin === named ? { written: host, origin } : { written: `${target} and ${host}`, origin: undefined };
}

/** The origin of a `Host` header. */
const originOfHost = rememberRecent((host) => readOrigin(`http://${host}`));

/** Whether a host of a URL is this machine: `localhost`, a name below it, or a loopback address. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || isLoopbackAddress(hostname);
}

/** Whether an address is loopback, with or without brackets. */
export function isLoopbackAddress(text: string): boolean {
  const literal = text.replace(/^\[(.*)\]$/, '$1');
  return isIP(literal) !== 0 && ipaddr.process(literal).range() === 'loopback';
}
