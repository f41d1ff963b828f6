import { setTimeout as delay } from 'node:timers/promises';
import { type Invocation, type InvocationEvent, type Problem, KnownError } from '@errand/contracts';
import { EventSourceParserStream } from 'eventsource-parser/stream';

/** The response to a submitted text: an invocation, nothing to run, or a refusal. */
type Submitted =
  | { outcome: 'accepted'; invocation: Invocation }
  | { outcome: 'no_action'; responseText: string }
  | { outcome: 'refused'; refusal: Refusal };

/** An RFC 9457 problem with the fields that Errand adds. */
export interface Refusal {
  status: number;
  title: string;
  detail?: string;
  code: string;
  errors?: (Problem & { line?: number; column?: number })[];
  observation?: string;
}

/** One server-sent event. An event without an id has the id of the event before it. */
interface ServerEvent {
  id: string;
  event: string;
  data: string;
}

const RESPONSE_MS = 30_000;
const RECONNECTS = 20;

export async function submitText(api: string, text: string): Promise<Submitted> {
  const response = await post(`${api}/v1/invocations`, { text });
  const body: unknown = await response.json();
  if (!response.ok) return { outcome: 'refused', refusal: body as Refusal };
  if ((body as { status: string }).status === 'no_action') {
    return { outcome: 'no_action', responseText: (body as { responseText: string }).responseText };
  }
  return { outcome: 'accepted', invocation: body as Invocation };
}

/** All events of an invocation, to its `end`. If the stream breaks, a new one continues after the last event. */
export async function* followInvocation(api: string, id: string): AsyncGenerator<InvocationEvent> {
  let after: string | undefined;
  for (let attempt = 0; attempt < RECONNECTS; attempt++) {
    if (attempt > 0) await delay(Math.min(100 * 2 ** attempt, 3_000));
    try {
      for await (const { id: eventId, event, data } of await openEvents(api, id, after)) {
        after = eventId;
        yield { ...(JSON.parse(data) as object), event } as InvocationEvent;
        if (event === 'end') return;
      }
    } catch (error) {
      // `fetch` reports a failed or broken connection with a TypeError. Other errors are not errors of the network.
      if (!(error instanceof TypeError)) throw error;
    }
  }
  throw new KnownError(
    `The event stream of ${id} broke and cannot be continued; GET ${api}/v1/invocations/${id} shows the status`,
  );
}

async function openEvents(api: string, id: string, after: string | undefined): Promise<AsyncGenerator<ServerEvent>> {
  const response = await fetch(`${api}/v1/invocations/${id}/events`, {
    headers: { ...authorization(), ...(after && { 'last-event-id': after }) },
  });
  if (!response.ok || !response.body)
    throw new KnownError(`GET ${response.url} answered ${response.status}: ${await response.text()}`);
  return readEvents(response.body);
}

/** Reads a `text/event-stream`. An unfinished event at its end is dropped. */
export async function* readEvents(body: NonNullable<Response['body']>): AsyncGenerator<ServerEvent> {
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  let lastId = '';
  for await (const { id = lastId, event = 'message', data } of events) {
    lastId = id;
    yield { id, event, data };
  }
}

/**
 * The body of a GET.
 * @throws KnownError with the reason if the API refuses
 */
export async function getJson<T>(url: string): Promise<T> {
  const signal = AbortSignal.timeout(RESPONSE_MS);
  const response = await fetch(url, { headers: authorization(), signal }).catch((cause: unknown) =>
    failAway(url, cause),
  );
  const body: unknown = await response.json();
  if (!response.ok) throw new KnownError((body as Refusal).detail ?? (body as Refusal).title);
  return body as T;
}

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization() },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(RESPONSE_MS),
  }).catch((cause: unknown) => failAway(url, cause));
}

function failAway(url: string, cause: unknown): never {
  throw new KnownError(`Errand does not answer at ${url}; \`./errand logs\` may show the reason`, { cause });
}

/** The header with the first API key. The command line reads the keys from its environment. */
function authorization(): Record<string, string> {
  const [key] = (process.env['ERRAND_API_KEYS'] ?? '').split(/\s+/).filter(Boolean);
  return key ? { authorization: `Bearer ${key}` } : {};
}
