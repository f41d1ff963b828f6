/** A `Server` of OpenAPI. */
interface Server {
  url: string;
  description: string;
}

const DEFAULT_URL = 'http://localhost:3000';

/**
 * The addresses of the API, the called one first, so that the page of the document sends its requests to its own origin. An API behind a
 * proxy that ends TLS is called by its public host, and its page has the public scheme.
 * @param called the origin that the request named, with `http`; undefined if it named no readable one
 */
export function serversFor(called: string = DEFAULT_URL, publicUrl?: string): Server[] {
  const publicServer = publicUrl === undefined ? [] : [{ url: publicUrl, description: 'The public address' }];
  if (publicUrl !== undefined && new URL(publicUrl).host === new URL(called).host) return publicServer;
  return [{ url: called, description: 'The address that was called' }, ...publicServer];
}
