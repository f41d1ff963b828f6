import type { ServerResponse } from 'node:http';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
/** What clients of the API send. */
const REQUEST_HEADERS =
  'Authorization, Content-Type, Accept, Idempotency-Key, Prefer, Last-Event-ID, Traceparent, Tracestate';
/** What clients of the API read, beyond the headers that every page may read. */
const ANSWER_HEADERS =
  'Location, Retry-After, Preference-Applied, Allow, WWW-Authenticate, Content-Disposition, Content-Length, ETag';
const PREFLIGHT_SECONDS = '600';

/**
 * Sets the CORS headers of an answer. They are set on the raw response, so that every answer has them: JSON, errors, event streams and
 * the pages of other applications alike.
 * @param origin the origin that may read the answer; undefined: none gets a header
 */
export function allowOrigin(response: ServerResponse, origin: string | undefined): void {
  response.setHeader('vary', 'Origin');
  if (origin === undefined) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', ANSWER_HEADERS);
}

/** Answers OPTIONS, with what a browser wants to know before it sends a request for a page of another origin. */
export function answerOptions(response: ServerResponse, origin: string | undefined, allowed: readonly string[]): void {
  if (origin !== undefined) {
    response.setHeader('access-control-allow-methods', METHODS);
    response.setHeader('access-control-allow-headers', REQUEST_HEADERS);
    response.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
  }
  response.setHeader('allow', [...allowed, 'OPTIONS'].join(', '));
  response.writeHead(204).end();
}
