import { actingTenant } from './acting-tenant.js';
import { RefusedRequest, ServerAway, type ProblemBody } from './problems.js';

/** The values of a query. Undefined and empty ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestOptions {
  query?: Query;
  body?: unknown;
  /** The body as JSON text, in place of `body`, so that numbers are sent as they were typed. */
  bodyText?: string;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/** An API that has not begun to answer a read for so long hangs. */
const READ_LIMIT_MS = 30_000;

let onSessionEnd = (): void => undefined;

/** Sets what happens when the API does not know the login session any more. */
export function whenSessionEnds(listener: () => void): void {
  onSessionEnd = listener;
}

/** The address of a route with its query. */
export function addressOf(path: string, query: Query = {}): string {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') values.set(name, String(value));
  const text = values.toString();
  return text === '' ? path : `${path}?${text}`;
}

/**
 * Reads a route of the API.
 *
 * @throws RefusedRequest if the API refuses it
 * @throws ServerAway if the API does not answer or Redis is away
 */
export function read<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return send<T>('GET', path, { ...(query && { query }), ...(signal && { signal }) });
}

/** Sends a request with any method; see `read`. Resolves to undefined if the response has no body. */
export async function send<T = void>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  const { response } = await exchange(method, path, options);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

/** Like `send`, with the response itself, for its headers and for bodies that are not JSON. */
export async function exchange(
  method: string,
  path: string,
  { query, body, bodyText, headers, signal }: RequestOptions = {},
): Promise<{ response: Response }> {
  const tenant = actingTenant();
  const text = bodyText ?? (body === undefined ? undefined : JSON.stringify(body));
  const limit = new AbortController();
  const timer = method === 'GET' ? setTimeout(() => limit.abort(), READ_LIMIT_MS) : undefined;
  const response = await fetch(addressOf(path, query), {
    method,
    headers: {
      accept: 'application/json',
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...(tenant !== undefined && { 'x-errand-tenant': tenant }),
      ...headers,
    },
    ...(text !== undefined && { body: text }),
    signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
    credentials: 'same-origin',
    redirect: 'error',
  })
    .catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw new ServerAway();
    })
    .finally(() => clearTimeout(timer));
  if (!response.ok) throw await refusalOf(response, path);
  return { response };
}

async function refusalOf(response: Response, path: string): Promise<Error> {
  const body = await readProblem(response);
  if (response.status === 401 && !path.startsWith('/v1/log')) onSessionEnd();
  if (response.status === 502 || response.status === 503 || response.status === 504) return new ServerAway(body.detail);
  const retryAfter = Number(response.headers.get('retry-after'));
  return new RefusedRequest(response.status, body, retryAfter > 0 ? retryAfter : undefined);
}

async function readProblem(response: Response): Promise<ProblemBody> {
  const unknown = { code: 'internal_error', detail: `The API answered with status ${response.status}` };
  try {
    const body = (await response.json()) as Partial<ProblemBody>;
    return typeof body.detail === 'string' && typeof body.code === 'string' ? (body as ProblemBody) : unknown;
  } catch {
    return unknown;
  }
}
