import { setTimeout as delay } from 'node:timers/promises';
import { isObject, type InvocationEvent } from '@errand/contracts';
import { say } from '../terminal.js';
import type { ApiClient } from './api-client.js';
import { RefusedError, UnreachableError, WrongStreamError } from './client-errors.js';
import { readEvents } from './read-events.js';

/** An event of an invocation as the stream sends it, or the gap that events leave if they are no longer stored. */
export type SentEvent = (InvocationEvent | { event: 'gap'; message: string }) & { invocationId?: string; at?: string };

/** How often in a row a stream may break without a new event. */
const RECONNECTS = 20;
const LONGEST_PAUSE_MS = 3_000;

/**
 * All events of an invocation, to its `end`. If the stream breaks, a new one continues after the last event.
 * @throws RefusedError, or UnreachableError if the first stream cannot be opened or a broken one cannot be continued
 */
export async function* followInvocation(client: ApiClient, id: string): AsyncGenerator<SentEvent> {
  const stop = new AbortController();
  let after = '';
  let isOpen = false;
  let failures = 0;
  try {
    for (; failures < RECONNECTS; failures++) {
      if (failures > 0) await pause(failures, client);
      try {
        const headers: Record<string, string> = after === '' ? {} : { 'last-event-id': after };
        const body = await client.openEvents(`/v1/invocations/${id}/events`, headers, stop.signal);
        isOpen = true;
        for await (const { id: eventId, event, data } of readEvents(body)) {
          // The header of the next request must be able to carry the id.
          if (/^[\x21-\x7e]{1,200}$/.test(eventId)) after = eventId;
          failures = 0;
          yield readEvent(event, data, client.url);
          if (event === 'end') return;
        }
      } catch (error) {
        if (!isOpen || !isBroken(error)) throw error;
      }
    }
  } finally {
    stop.abort();
  }
  throw new UnreachableError(`The event stream of ${id} broke and cannot be continued`, 'follow it again later');
}

async function pause(failures: number, { url }: ApiClient): Promise<void> {
  if (failures === 1) say(`  The connection to ${url} broke; continuing after the last event …`);
  await delay(Math.min(100 * 2 ** failures, LONGEST_PAUSE_MS));
}

/** Whether another connection may help. `fetch` reports a broken connection with a TypeError. */
function isBroken(error: unknown): boolean {
  if (error instanceof WrongStreamError) return false;
  return error instanceof TypeError || error instanceof UnreachableError || isTooMany(error);
}

const isTooMany = (error: unknown) => error instanceof RefusedError && error.refusal.status === 429;

function readEvent(event: string, data: string, url: string): SentEvent {
  try {
    const fields: unknown = JSON.parse(data);
    if (isObject(fields)) return { ...fields, event } as unknown as SentEvent;
  } catch {
    // The reason is below.
  }
  throw new WrongStreamError(
    `The server at ${url} is not Errand: an event '${event.slice(0, 40)}' is not a JSON object`,
  );
}
