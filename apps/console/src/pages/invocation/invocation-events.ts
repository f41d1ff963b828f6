import { EventSourceParserStream } from 'eventsource-parser/stream';
import { exchange } from '../../api/call-api.js';

/** What a page wants to know of an event: its kind. It reads the details from the API. */
export type OnEvent = (event: string) => void;

const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;

/**
 * Follows the events of an invocation until it ends, over lost connections.
 *
 * @returns a function that stops it
 */
export function followInvocation(id: string, onEvent: OnEvent): () => void {
  const stopped = new AbortController();
  void follow(id, onEvent, stopped.signal);
  return () => stopped.abort();
}

async function follow(id: string, onEvent: OnEvent, signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  for (let pauseMs = SHORTEST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      for await (const { event, id: eventId } of readStream(id, lastId, signal)) {
        lastId = eventId ?? lastId;
        pauseMs = SHORTEST_PAUSE_MS;
        onEvent(event ?? '');
        if (event === 'end') return;
      }
    } catch {
      if (signal.aborted) return;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random() / 2)));
  }
}

async function* readStream(id: string, lastId: string | undefined, signal: AbortSignal) {
  const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) };
  const path = `/v1/invocations/${encodeURIComponent(id)}/events`;
  const { response } = await exchange('GET', path, { headers, signal });
  if (!response.body) return;
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  const reader = events.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
