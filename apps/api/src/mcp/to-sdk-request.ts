import type { IncomingMessage } from 'node:http';

/**
 * A request as the SDK reads it when it gets the parsed body: method, address, headers, signal. A `Request` of Node.js would copy the body
 * into a stream that nobody reads, which costs more than the checks of the SDK.
 */
export function toSdkRequest({ method = 'POST', url = '/', headers }: IncomingMessage, signal: AbortSignal): Request {
  const copy = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) copy.append(name, each);
  const request = { method, url: `http://${headers.host ?? 'localhost'}${url}`, headers: copy, signal };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK reads no other field of it
  return request as Request;
}
