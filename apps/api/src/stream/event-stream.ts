import { isFinal, type Status } from '@errand/contracts';
import type { NumberedEvent, OpenInvocation } from '@errand/queue';
import { newsOfStanding, writePlace, type Place } from './event-cursor.js';

/** Something to tell a listener: `id` is what it may resume after, `data` JSON. A heartbeat says only that the line is open. */
export type Told = { kind: 'heartbeat' } | { kind: 'event'; id: string; event: string; data: string };

/** An event of the invocation's own, made ready once for all listeners. */
export interface ReadyEvent {
  number: number;
  /** Of a status: listeners hear it for the only step, too. */
  status?: Status;
  at?: string;
  event: string;
  data: string;
}

export function makeReady(id: string, { number, event: logged }: NumberedEvent): ReadyEvent {
  const { event, ...data } = logged;
  const stands = logged.event === 'status' && { status: logged.status, at: logged.at };
  return { number, event, data: toData(id, data), ...stands };
}

/** Stands in the place of those that are no longer kept. */
export function gapBefore(id: string, from: number, next: number): ReadyEvent {
  const message = `${next - from} events are missing here: they are no longer kept`;
  return { number: next - 1, event: 'gap', data: toData(id, { missing: next - from, message }) };
}

/**
 * Emits the statuses before all stored events: `queued` and the first `running`. Returns the listener's new position. A listener
 * that was cut off between a status and its step hears of that step first. One whose place names no status hears of the latest.
 */
export function* headEvents(
  id: string,
  from: Place,
  { begun, lastStatus: latest }: OpenInvocation,
  alone: boolean,
): Generator<Told, Place> {
  let place = from;
  const { told = from.number === 0 ? 'queued' : latest, step } = from;
  if (told === 'end' || isFinal(told)) return place;
  if (step === undefined || !isFinal(step)) place = yield* standingEvents(id, place, told, alone);
  if (begun && place.number === 0 && told === 'queued') place = yield* standingEvents(id, place, 'running', alone);
  return place;
}

/** What is new of how it stands; returns where the listener stands then. */
export function* standingEvents(
  id: string,
  from: Place,
  status: Status,
  alone: boolean,
  at?: string,
): Generator<Told, Place> {
  let place = from;
  for (const news of newsOfStanding(from, status, alone)) {
    ({ place } = news);
    const data = { ...(news.event === 'step' && { index: 0 }), status, ...(at !== undefined && { at }) };
    yield { kind: 'event', id: writePlace(place), event: news.event, data: toData(id, data) };
  }
  return place;
}

/** What every event says, and what this one does. */
export function toData(invocationId: string, data: object): string {
  return JSON.stringify({ invocationId, at: new Date().toISOString(), ...data });
}
