import type { StreamItem } from '../stream/event-stream.js';

const HEARTBEAT_MS = 15_000;

/** JSON-RPC responses as items of a server-sent event stream, with a heartbeat after each silence of 15 s. */
export async function* toStreamItems(responses: AsyncIterable<object>): AsyncGenerator<StreamItem, void, undefined> {
  const events = responses[Symbol.asyncIterator]();
  try {
    for (let next = events.next(); ;) {
      const event = await orSilence(next);
      if (event === undefined) yield { kind: 'heartbeat' };
      else if (event.done) return;
      else {
        yield { kind: 'data', data: JSON.stringify(event.value) };
        next = events.next();
      }
    }
  } finally {
    await events.return?.();
  }
}

/** The value of the promise, or undefined after the time of a heartbeat. */
async function orSilence<T>(next: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), HEARTBEAT_MS)));
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}
