import type { ServerResponse } from 'node:http';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
/** The headers that clients of the API send. */
const REQUEST_HEADERS =
  'Authorization, Content-Type, Accept, Idempotency-Key, If-None-Match, Prefer, Last-Event-ID, Traceparent, Tracestate, X-Errand-Tenant, ' +
  'MCP-Protocol-Version, Mcp-Method, Mcp-Name';
/** The headers that clients of the API read, beyond those that each page may read. */
const RESPONSE_HEADERS =
  'Location, Retry-After, Preference-Applied, Allow, WWW-Authenticate, Content-Disposition, Content-Length, ETag';
const PREFLIGHT_SECONDS = '600';

/**
 * Sets the CORS headers on the raw response, so that each response has them: JSON, errors, event streams and the pages
 * of other applications.
 * @param origin the origin that may read the response; undefined sets no CORS header
 */
export function allowOrigin(response: ServerResponse, origin: string | undefined): void {
  response.setHeader('vary', 'Origin');
  if (origin === undefined) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', RESPONSE_HEADERS);
}

/** Responds to OPTIONS with the headers that a browser needs before a request from another origin. */
export function respondToOptions(
  response: ServerResponse,
  origin: string | undefined,
  allowed: readonly string[],
): void {
  if (origin !== undefined) {
    response.setHeader('access-control-allow-methods', METHODS);
    response.setHeader('access-control-allow-headers', REQUEST_HEADERS);
    response.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
  }
  response.setHeader('allow', [...allowed, 'OPTIONS'].join(', '));
  response.writeHead(204).end();
}
