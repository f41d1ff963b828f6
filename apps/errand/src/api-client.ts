import { setTimeout as delay } from 'node:timers/promises';
import { type Invocation, type InvocationEvent, type Problem, KnownError } from '@errand/contracts';
import { readEvents } from './read-events.js';

/** What the API answers to a text: an invocation, nothing to do, or why it refuses. */
export type Submitted =
  | { outcome: 'accepted'; invocation: Invocation }
  | { outcome: 'no_action'; responseText: string }
  | { outcome: 'refused'; refusal: Refusal };

/** RFC 9457, with what Errand adds. */
export interface Refusal {
  status: number;
  title: string;
  detail?: string;
  code: string;
  errors?: (Problem & { line?: number; column?: number })[];
  observation?: string;
}

const ANSWER_MS = 30_000;
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

/** Everything that an invocation tells, to its `end`. A stream that breaks is taken up where it broke. */
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
      // `fetch` tells of a connection that failed or broke by a TypeError; anything else is no matter of the network.
      if (!(error instanceof TypeError)) throw error;
    }
  }
  throw new KnownError(
    `The event stream of ${id} broke and can't be taken up; GET ${api}/v1/invocations/${id} tells how it goes on`,
  );
}

async function openEvents(api: string, id: string, after: string | undefined) {
  const response = await fetch(`${api}/v1/invocations/${id}/events`, {
    headers: { ...authorization(), ...(after && { 'last-event-id': after }) },
  });
  if (!response.ok || !response.body)
    throw new KnownError(`GET ${response.url} answered ${response.status}: ${await response.text()}`);
  return readEvents(response.body);
}

/**
 * What the API gives to a GET.
 * @throws KnownError with the reason where it refuses
 */
export async function getJson<T>(url: string): Promise<T> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(url, { headers: authorization(), signal }).catch((cause: unknown) => away(url, cause));
  const body: unknown = await response.json();
  if (!response.ok) throw new KnownError((body as Refusal).detail ?? (body as Refusal).title);
  return body as T;
}

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization() },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch((cause: unknown) => away(url, cause));
}

function away(url: string, cause: unknown): never {
  throw new KnownError(`Errand does not answer at ${url}; ./errand logs may tell why`, { cause });
}

/** Where the API asks for keys, whoever starts it knows them. */
function authorization(): Record<string, string> {
  const [key] = (process.env['ERRAND_API_KEYS'] ?? '').split(/\s+/).filter(Boolean);
  return key ? { authorization: `Bearer ${key}` } : {};
}
