import type { Status } from '@errand/contracts';
import type { NumberedEvent } from '@errand/queue';
import { newsOfStanding, writePlace, type Place } from './stream-place.js';

/** Something to tell a listener: `id` is what it may resume after, `data` JSON. A heartbeat says only that the line is open. */
export type Told = { kind: 'heartbeat' } | { kind: 'event'; id: string; event: string; data: string };

/** An event of the invocation's own, made ready once for all listeners. */
export interface ReadyEvent {
  number: number;
  event: string;
  data: string;
}

export function makeReady(id: string, { number, event: { event, ...data } }: NumberedEvent): ReadyEvent {
  return { number, event, data: toData(id, data) };
}

/** Stands in the place of those that are no longer kept. */
export function gapBefore(id: string, from: number, next: number): ReadyEvent {
  const message = `${next - from} events are missing here: they are no longer kept`;
  return { number: next - 1, event: 'gap', data: toData(id, { missing: next - from, message }) };
}

/** What is new of how it stands; returns where the listener stands then. */
export function* standingEvents(id: string, from: Place, status: Status, alone: boolean): Generator<Told, Place> {
  let place = from;
  for (const news of newsOfStanding(from, status, alone)) {
    ({ place } = news);
    const data = news.event === 'step' ? { index: 0, status } : { status };
    yield { kind: 'event', id: writePlace(place), event: news.event, data: toData(id, data) };
  }
  return place;
}

/** What every event says, and what this one does. */
export function toData(invocationId: string, data: object): string {
  return JSON.stringify({ invocationId, at: new Date().toISOString(), ...data });
}
