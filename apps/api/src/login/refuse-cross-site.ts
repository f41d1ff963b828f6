import { readOrigin } from '@errand/platform';
import type { IncomingHttpHeaders } from 'node:http';
import { ProblemError } from '../http/problem-error.js';

/** Methods that change nothing (RFC 9110, 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** `Sec-Fetch-Site` of a page of this server, of a person's own request, and of a client that is no browser. */
const OWN_SITE: ReadonlySet<unknown> = new Set(['same-origin', 'none', undefined]);

/**
 * Refuses a change that a page of another site requests with the rights of a browser: those of its cookie, or those that everybody has
 * without keys. Fetch metadata and `Origin` are what OWASP recommends where a page needs no token.
 * @param own the origins of this server
 * @param exempt origins whose pages may request changes
 * @throws ProblemError forbidden
 */
export function refuseCrossSite(
  { method, headers }: { method: string; headers: IncomingHttpHeaders },
  own: readonly (string | undefined)[],
  exempt: readonly string[] = [],
): void {
  if (SAFE.has(method)) return;
  const origin = headers.origin === undefined ? undefined : readOrigin(headers.origin);
  if (origin !== undefined && exempt.includes(origin)) return;
  const site = headers['sec-fetch-site'];
  if (!OWN_SITE.has(site)) {
    const detail = `A page of another site may not do this (Sec-Fetch-Site: ${shown(site)}); ERRAND_PUBLIC_URL names the address of this server`;
    throw new ProblemError('forbidden', detail);
  }
  if (headers.origin !== undefined && (origin === undefined || !own.includes(origin))) {
    const detail = `A page of the origin '${shown(headers.origin)}' may not use the login session of this server; send an API key instead`;
    throw new ProblemError('forbidden', detail);
  }
}

const shown = (text: unknown) => String(text).slice(0, 80);
