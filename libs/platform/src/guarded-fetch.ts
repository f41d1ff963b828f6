import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import { ToolError } from '@errand/contracts';
import type { Agent, buildConnector, RequestInit as UndiciInit, Response as UndiciResponse } from 'undici';
import { addressFault, allowsHost, checkCallbackUrl, hostFault, refused, type AllowList } from './address-rules.js';

export interface FetchGuard {
  allow: AllowList;
  /** The maximum size of a response body after decompression, in bytes. */
  maxBytes?: number;
  /** The time limit of a request, to the end of its body, in ms. */
  timeoutMs?: number;
  /** The DNS lookup. */
  lookup?: typeof dns.lookup;
}

type Undici = typeof import('undici');

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * A `fetch` for URLs that come with data. It resolves a name once, checks all its addresses, and connects to one of
 * them. The address cannot change between the check and the connection. It follows redirects only with `redirect:
 * 'follow'`, and checks each target in the same way.
 * It rejects with a ToolError: SecurityError (not allowed), TimeoutError, ResourceLimitError (too large) or
 * ServiceError (connection failed), or with the reason of the signal of the caller.
 */
export function createGuardedFetch(guard: FetchGuard): typeof globalThis.fetch {
  const { maxBytes = 10 * 1024 ** 2, timeoutMs = 600_000 } = guard;
  let opened: ReturnType<typeof openDispatcher> | undefined;
  return async (input, init = {}) => {
    const { address, options } = requestOf(input, init);
    const url = checkCallbackUrl(address, guard.allow);
    const { undici, dispatcher } = await (opened ??= openDispatcher(guard, timeoutMs));
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
    const explain = (thrown: unknown) => explainFailure(thrown, url, { asked: options.signal, deadline, timeoutMs });
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- undici declares the types of fetch anew, for the same shapes
      const wanted = { redirect: 'manual', ...options, signal, dispatcher } as unknown as UndiciInit;
      const response = await undici.fetch(url, wanted);
      return await boundResponse(response, maxBytes, explain);
    } catch (thrown) {
      throw explain(thrown);
    }
  };
}

/** Loads undici for the first request, because processes and commands start 0.1 s sooner without it. */
async function openDispatcher(guard: FetchGuard, timeoutMs: number): Promise<{ undici: Undici; dispatcher: Agent }> {
  const undici = await import('undici');
  const connect = guardedConnector(guard, undici);
  return { undici, dispatcher: new undici.Agent({ connect, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }) };
}

/** Splits a Request of the runtime, because the fetch of undici does not know that class. */
function requestOf(input: string | URL | Request, init: RequestInit): { address: string; options: RequestInit } {
  if (!(input instanceof Request)) return { address: String(input), options: init };
  const { method, headers, body, signal } = input;
  return { address: input.url, options: { method, headers, body, signal, ...(body && { duplex: 'half' }), ...init } };
}

/** Checks literal addresses itself, because they need no lookup. The lookup checks the addresses of names. */
function guardedConnector({ allow, lookup = dns.lookup }: FetchGuard, undici: Undici): buildConnector.connector {
  const dial = undici.buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    lookup: guardedLookup(allow, lookup),
  });
  return (options, callback) => {
    const fault = hostFault(options.hostname, allow);
    if (fault) callback(refused(`${options.protocol}//${options.host ?? options.hostname}`, fault), null);
    else dial(options, callback);
  };
}

function guardedLookup(allow: AllowList, lookup: typeof dns.lookup): LookupFunction {
  return (hostname, { all, ...options }, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const fault = allowsHost(allow, hostname)
        ? undefined
        : addresses.map(({ address }) => addressFault(address, allow)).find((found) => found !== undefined);
      if (fault)
        return callback(refused(hostname, `its name resolves to an address that ${fault.replace(/^\S+ /, '')}`), []);
      if (all) return callback(null, addresses);
      const [first] = addresses;
      return first
        ? callback(null, first.address, first.family)
        : callback(refused(hostname, 'its name has no address'), []);
    });
  };
}

interface Limits {
  asked: AbortSignal | null | undefined;
  deadline: AbortSignal;
  timeoutMs: number;
}

/** Turns the failure of a request into a ToolError. undici hides the reason in the `cause` of a TypeError. */
function explainFailure(thrown: unknown, url: URL, { asked, deadline, timeoutMs }: Limits): unknown {
  if (asked?.aborted) return asked.reason;
  const where = `${url.origin}${url.pathname}`.slice(0, 200);
  if (deadline.aborted) return new ToolError('TimeoutError', `${where} did not answer within ${timeoutMs} ms`);
  let cause = thrown;
  while (!(cause instanceof ToolError) && cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  if (cause instanceof ToolError) return cause;
  const { message, code } = cause as NodeJS.ErrnoException;
  // https://fetch.spec.whatwg.org/#port-blocking: an HTTP request could send commands to the service on such a port.
  if (message === 'bad port') return refused(where, `port ${url.port} is reserved for a service other than HTTP`);
  const reason = [message, message?.includes(code ?? '') ? '' : code].filter(Boolean).join(' ') || String(cause);
  return new ToolError('ServiceError', `The request to ${where} failed: ${reason}`, undefined, { cause: thrown });
}

/** Status codes of responses without a body. `new Response` refuses a body for them. */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/**
 * Limits the body of a response: it ends with an error after `maxBytes`. `explain` turns a failure during the transfer
 * into the error that the reader gets.
 * @throws ToolError ResourceLimitError if the announced length is already too large
 */
async function boundResponse(
  response: UndiciResponse,
  maxBytes: number,
  explain: (thrown: unknown) => unknown,
): Promise<Response> {
  const { status, statusText, body } = response;
  const head = { status, statusText, headers: [...response.headers] as [string, string][] };
  if (body === null || WITHOUT_BODY.has(status)) return new Response(null, head);
  const tooLarge = () =>
    new ToolError('ResourceLimitError', `The response is larger than the ${maxBytes} bytes that are allowed`);
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await body.cancel();
    throw tooLarge();
  }
  const reader = body.getReader();
  let length = 0;
  const bounded = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        length += value.byteLength;
        if (length <= maxBytes) return controller.enqueue(value);
        await reader.cancel();
        controller.error(tooLarge());
      } catch (thrown) {
        controller.error(explain(thrown));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(bounded, head);
}
