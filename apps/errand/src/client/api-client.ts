import { isObject } from '@errand/contracts';
import { RefusedError, UnreachableError, type Refusal } from './client-errors.js';
import { explainFailure } from './explain-failure.js';
import type { Target } from './find-target.js';

/** A request to the API. */
interface ApiRequest {
  path: string;
  /** JSON text. With it the request is a POST. */
  body?: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** How long the server may hold back its response, in ms, besides the time limit of the client. */
  waitMs?: number;
}

const EVENT_STREAM = 'text/event-stream';

/** Talks to the API of one Errand. It follows no redirect, so that the key reaches no other host. */
export class ApiClient {
  constructor(readonly target: Target) {}

  get url(): string {
    return this.target.url;
  }

  /**
   * The JSON of a response.
   * @throws RefusedError for a status of 400 to 499; UnreachableError without a response, for one that is not from Errand, and from 500 on
   */
  async json<T>(request: ApiRequest): Promise<T> {
    const signal = AbortSignal.timeout(this.target.timeoutMs + (request.waitMs ?? 0));
    const response = await this.send(request, signal);
    const body = await this.readJson(response);
    if (!response.ok) throw this.failureOf(response, body);
    return body as T;
  }

  get<T>(path: string, query: Record<string, string> = {}): Promise<T> {
    const search = new URLSearchParams(query).toString();
    return this.json<T>({ path: search ? `${path}?${search}` : path });
  }

  post<T>(path: string, body: string, headers: Record<string, string> = {}): Promise<T> {
    return this.json<T>({ path, body, headers });
  }

  /** Opens a stream of events. The time limit holds until its first bytes. Errors are those of `json`. */
  async openEvents(path: string, headers: Record<string, string>, stop: AbortSignal): Promise<BodyStream> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DOMException('no response', 'TimeoutError')), this.target.timeoutMs);
    try {
      const signal = AbortSignal.any([late.signal, stop]);
      const response = await this.send({ path, headers: { accept: EVENT_STREAM, ...headers } }, signal);
      if (!response.ok) throw this.failureOf(response, await this.readJson(response));
      if (!response.body || !typeOf(response).startsWith(EVENT_STREAM)) throw this.notErrand(response);
      return response.body;
    } finally {
      clearTimeout(timer);
    }
  }

  private async send({ path, body, method, headers }: ApiRequest, signal: AbortSignal): Promise<Response> {
    const { key } = this.target;
    const response = await fetch(this.url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      signal,
    }).catch((error: unknown) => {
      throw explainFailure(this.url, error);
    });
    if (response.status >= 300 && response.status < 400) throw this.redirected(response, path);
    return response;
  }

  private async readJson(response: Response): Promise<unknown> {
    if (!/^application\/([\w.-]+\+)?json\b/.test(typeOf(response))) {
      await response.body?.cancel();
      throw this.notErrand(response);
    }
    const text = await response.text().catch((error: unknown) => {
      throw explainFailure(this.url, error);
    });
    try {
      return JSON.parse(text);
    } catch (error) {
      throw this.notErrand(response, error);
    }
  }

  private failureOf(response: Response, body: unknown): Error {
    if (!isRefusal(body)) return this.notErrand(response);
    if (body.status < 500) return new RefusedError(body);
    return new UnreachableError(
      `Errand at ${this.url} is unavailable: ${body.detail || body.title}`,
      'try again later',
    );
  }

  private redirected({ status, headers }: Response, path: string): UnreachableError {
    const location = headers.get('location') ?? '';
    const to = URL.canParse(location, this.url + path) ? new URL(location, this.url + path).href : 'nowhere';
    const base = to.endsWith(path) ? to.slice(0, -path.length) : to;
    return new UnreachableError(
      `${this.url} redirects to ${to} (status ${status}), and no redirect is followed: a key is for one host only`,
      `name that address if you trust it: --url=${base}`,
    );
  }

  private notErrand(response: Response, cause?: unknown): UnreachableError {
    const type = typeOf(response).split(';')[0] || 'no content type';
    return new UnreachableError(
      `The server at ${this.url} is not Errand: it answers ${response.status} with ${type}`,
      'check the address: Errand answers with JSON, and a proxy in front of it must pass that on',
      { cause },
    );
  }
}

type BodyStream = NonNullable<Response['body']>;

const typeOf = ({ headers }: Response) => (headers.get('content-type') ?? '').toLowerCase();

function isRefusal(body: unknown): body is Refusal {
  if (!isObject(body)) return false;
  return typeof body.status === 'number' && typeof body.title === 'string' && typeof body.code === 'string';
}
