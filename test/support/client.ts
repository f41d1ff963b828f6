import type { Invocation } from '@errand/contracts';
import { Agent, request, type Dispatcher } from 'undici';
import { readEvents } from '../../apps/errand/src/client/read-events.js';
import { eventually, inPatience } from './eventually.js';

export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: T;
}

/** An error response of the API. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  errors?: { path: string; message: string; line?: number; column?: number; suggestion?: string }[];
  observation?: string;
}

/** A response about an invocation: the invocation or an error. */
export type Told = Invocation & Partial<Pick<Problem, 'code' | 'detail' | 'errors'>>;

/** One server-sent event. */
export interface SentEvent {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

/** Keeps connections open between requests, like `fetch`, which needs five times the CPU time for a request. */
const connections = new Agent();

const ENDED: readonly string[] = ['succeeded', 'failed', 'cancelled'];

/** A small client for tests, with JSON in both directions. */
export class Client {
  /**
   * @param origin the address of the API; a function if the address is not known yet
   * @param headers the headers of every request, such as a key
   */
  constructor(
    private readonly origin: string | (() => string),
    private readonly headers: Record<string, string> = {},
  ) {}

  get url(): string {
    return typeof this.origin === 'string' ? this.origin : this.origin();
  }

  async get<T = Record<string, unknown>>(path: string, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.ask('GET', path, headers);
  }

  async post<T = Told>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.ask('POST', path, { 'content-type': 'application/json', ...headers }, text);
  }

  private async ask<T>(method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: string) {
    return readAnswer<T>(
      await request(this.url + path, {
        method,
        headers: { ...this.headers, ...headers },
        dispatcher: connections,
        ...(body !== undefined && { body }),
      }),
    );
  }

  /** @returns the id of the accepted invocation */
  async submit(body: object): Promise<string> {
    const { status, body: accepted } = await whenAvailable(() => this.post('/v1/invocations', body));
    if (status !== 202) throw new Error(`refused with ${status}: ${JSON.stringify(accepted)}`);
    return accepted.id;
  }

  /** Submits and waits for the end, without a time limit. */
  async invoke(body: object): Promise<Invocation> {
    const submit = () => this.post('/v1/invocations', body, { prefer: 'wait=20' });
    const { status, body: accepted } = await whenAvailable(submit);
    if (status === 200) return accepted;
    if (status !== 202) throw new Error(`refused with ${status}: ${JSON.stringify(accepted)}`);
    return this.untilEnded(accepted.id);
  }

  async read(id: string): Promise<Invocation> {
    return (await whenAvailable(() => this.get<Invocation>(`/v1/invocations/${id}`))).body;
  }

  cancel(id: string): Promise<Answer<Told>> {
    return whenAvailable(() => this.post(`/v1/invocations/${id}/cancel`, ''));
  }

  retry(id: string, body: object | '' = ''): Promise<Answer<Told>> {
    return this.post(`/v1/invocations/${id}/retry`, body);
  }

  /** Gives the answer that a step waits for. */
  answer(id: string, body: object, step: number | string = 0): Promise<Answer<Told>> {
    return this.post(`/v1/invocations/${id}/steps/${step}/result`, body);
  }

  async untilEnded(id: string): Promise<Invocation> {
    return eventually(async () => {
      const { status, body } = await whenAvailable(() => this.get<Invocation>(`/v1/invocations/${id}?wait=60`));
      if (status !== 200) throw new Error(`${id} gets the status code ${status}: ${JSON.stringify(body)}`);
      return ENDED.includes(body.status) && body;
    }, `${id} has ended`);
  }

  /** Resolves when an invocation whose id is known beforehand, as a call of a turn has, was accepted. */
  untilFound(id: string): Promise<unknown> {
    return eventually(async () => (await whenAvailable(() => this.get(`/v1/invocations/${id}`))).status === 200, id);
  }

  /** Reads the invocation after each of its events until `isWanted` returns true. */
  async until(id: string, isWanted: (now: Invocation) => boolean): Promise<Invocation> {
    let now: Invocation | undefined;
    await this.untilTold(id, async () => {
      now = await this.read(id);
      return isWanted(now);
    });
    return now!;
  }

  untilWaiting(id: string): Promise<Invocation> {
    return this.until(id, ({ status }) => status === 'waiting_external');
  }

  /** Resolves when an event of the invocation matches. `after` is the id of an event: only later events count. */
  async untilTold(
    id: string,
    isWanted: (event: SentEvent) => boolean | Promise<boolean>,
    after?: string,
  ): Promise<void> {
    const last: SentEvent[] = [];
    const wanted = async () => {
      for await (const event of followEvents(this.streamOf(id), behind(after))) {
        if (await isWanted(event)) return;
        last[0] = event;
      }
      throw new Error(`its stream ended without it: ${JSON.stringify(await this.read(id))}`);
    };
    await inPatience(
      wanted(),
      async () =>
        `an event of ${id} for ${String(isWanted)}; its last event: ${JSON.stringify(last[0])}; ` +
        `its state now: ${await this.describe(id)}`,
    );
  }

  /** All events to the end of the invocation. `after` is the id of an event: only later events are returned. */
  events(id: string, after?: string): Promise<SentEvent[]> {
    return readEventStream(this.streamOf(id), behind(after));
  }

  /** The state of an invocation, for the message of a test that waited for it. */
  private describe(id: string): Promise<string> {
    return this.get(`/v1/invocations/${id}`).then(
      ({ status, body }) => `${status} ${JSON.stringify(body).slice(0, 2_000)}`,
      (error: unknown) => String(error),
    );
  }

  private streamOf(id: string): string {
    return `${this.url}/v1/invocations/${id}/events`;
  }
}

/**
 * Repeats the request while the response is 503 or 408: on a busy machine, Redis can exceed its time limit, and so can the head of a request.
 * Only for requests that may arrive twice. A test that expects one of them uses `get` or `post`.
 */
function whenAvailable<T>(ask: () => Promise<Answer<T>>): Promise<Answer<T>> {
  return eventually(
    async () => {
      const answer = await ask();
      return answer.status !== 503 && answer.status !== 408 && answer;
    },
    `a response other than 408 or 503 to ${String(ask)}`,
  );
}

async function readAnswer<T>({
  statusCode: status,
  headers: fields,
  body,
}: Dispatcher.ResponseData): Promise<Answer<T>> {
  const text = await body.text();
  const headers = new Headers();
  for (const [name, values] of Object.entries(fields))
    for (const value of [values ?? []].flat()) headers.append(name, value);
  const json = headers.get('content-type')?.includes('json');
  return { status, headers, body: (json ? JSON.parse(text) : text) as T };
}

function behind(after: string | undefined): Record<string, string> {
  return after === undefined ? {} : { 'last-event-id': after };
}

/** Server-sent events as they arrive. The connection ends when the reader stops. */
async function* followEvents(url: string, headers: Record<string, string> = {}): AsyncGenerator<SentEvent> {
  const response = await fetch(url, { headers });
  if (response.status !== 200)
    throw new Error(`${url} gets the status code ${response.status}: ${await response.text()}`);
  for await (const { id, event, data } of readEvents(response.body!))
    yield { id, event, data: JSON.parse(data) as Record<string, unknown> };
}

/** Reads a stream of server-sent events to its end. */
export async function readEventStream(url: string, headers: Record<string, string> = {}): Promise<SentEvent[]> {
  const events: SentEvent[] = [];
  for await (const event of followEvents(url, headers)) events.push(event);
  return events;
}
