import type { ProblemCode } from '@errand/contracts';
import { calledHost, hostOf, isLoopbackHost, readOrigin, type CalledHost, type RequestHead } from './called-host.js';
import { rememberRecent } from './remember-recent.js';

/** The names of this server, and the origins whose pages may use it. */
export interface OriginSettings {
  ERRAND_API_KEYS: readonly unknown[] | undefined;
  ERRAND_PUBLIC_URL: string | undefined;
  ERRAND_ALLOWED_ORIGINS: readonly string[];
}

/** Why a request is refused. */
export interface RequestRefusal {
  /** The label of the metric that counts refusals. */
  reason: 'origin' | 'host' | 'slow' | 'malformed' | 'connections';
  code: ProblemCode;
  detail: string;
  /** The status code, if that of `code` is not exact enough. */
  status?: number;
}

interface OriginVerdict {
  refusal?: RequestRefusal;
  /** The origin, as the browser wrote it, that gets CORS headers. */
  cors?: string;
}

const SHOWN = 200;
/** Probes call by address, so any `Host` may ask for these. */
const PROBES = new Set(['/healthz', '/readyz']);

/**
 * Returns the check that every request passes before a route is looked up.
 * - `Origin` must be absent, the host and port that were called, that of ERRAND_PUBLIC_URL, or one of ERRAND_ALLOWED_ORIGINS.
 * - Without keys, `Host` must be a name of this machine or of one of these settings. A page whose DNS name was rebound to this
 *   machine sends its own name.
 */
export function originCheck(settings: OriginSettings): (request: RequestHead) => OriginVerdict {
  const listed = new Set(settings.ERRAND_ALLOWED_ORIGINS);
  const trusted = [...listed, ...(settings.ERRAND_PUBLIC_URL ? [settings.ERRAND_PUBLIC_URL] : [])];
  const listedHosts = new Set(trusted.map(hostOf));
  const isOwn = (hostname: string) => isLoopbackHost(hostname) || listedHosts.has(hostname);
  const hosts = {
    any: (settings.ERRAND_API_KEYS ?? []).length > 0,
    isOwn: rememberRecent((origin) => isOwn(hostOf(origin))),
  };
  return (request) => {
    const called = calledHost(request);
    const written = request.headers.origin;
    const origin = written === undefined ? undefined : readOrigin(written);
    if (written !== undefined && (origin === undefined || ![called.origin, ...trusted].includes(origin)))
      return { refusal: foreignOrigin(written) };
    const refusal = PROBES.has(pathOf(request)) ? undefined : refuseHost(request, called, hosts);
    return {
      ...(refusal && { refusal }),
      ...(written !== undefined && origin !== undefined && listed.has(origin) && { cors: written }),
    };
  };
}

/** An HTTP/1.1 request has one readable `Host` (RFC 9112, 3.2). With keys, each host is accepted. */
function refuseHost(
  { httpVersion, headers: { host } }: RequestHead,
  { written, origin }: CalledHost,
  hosts: { any: boolean; isOwn: (origin: string) => boolean },
): RequestRefusal | undefined {
  if (host === undefined && httpVersion !== '1.0') return unreadableHost(written);
  if (hosts.any) return origin === undefined && host !== undefined ? unreadableHost(written) : undefined;
  return origin !== undefined && hosts.isOwn(origin) ? undefined : foreignHost(written);
}

const pathOf = ({ url = '' }: RequestHead) => url.split('?', 1)[0] ?? '';

function foreignOrigin(origin: string): RequestRefusal {
  const detail = `Pages of the origin '${origin.slice(0, SHOWN)}' may not use this server; ERRAND_ALLOWED_ORIGINS lists the origins that may`;
  return { reason: 'origin', code: 'forbidden', detail };
}

function foreignHost(host: string): RequestRefusal {
  const detail =
    `Without ERRAND_API_KEYS this server accepts only names of its own machine as host, not '${host.slice(0, SHOWN)}'; ` +
    'ERRAND_PUBLIC_URL or ERRAND_ALLOWED_ORIGINS adds a name, such as http://api:3000';
  return { reason: 'host', code: 'forbidden', detail };
}

function unreadableHost(host: string): RequestRefusal {
  const detail = `The request must name one host, such as localhost:3000, not '${host.slice(0, SHOWN)}'`;
  return { reason: 'host', code: 'invalid_request', detail };
}
