import { isFinal, type Status } from '@errand/contracts';
import type { NumberedEvent, OpenInvocation } from '@errand/queue';
import { statusChanges, formatCursor, type EventCursor } from './event-cursor.js';

/** Something to tell a listener: `id` is what it may resume after, `data` JSON. A heartbeat says only that the line is open. */
export type StreamItem = { kind: 'heartbeat' } | { kind: 'event'; id: string; event: string; data: string };

/** An event of the invocation's own, made ready once for all listeners. */
export interface SerializedEvent {
  number: number;
  /** Of a status: listeners hear it for the only step, too. */
  status?: Status;
  at?: string;
  event: string;
  data: string;
}

export function serializeEvent(id: string, { number, event: logged }: NumberedEvent): SerializedEvent {
  const { event, ...data } = logged;
  const stands = logged.event === 'status' && { status: logged.status, at: logged.at };
  return { number, event, data: toData(id, data), ...stands };
}

/** Stands in the place of those that are no longer kept. */
export function gapEvent(id: string, from: number, next: number): SerializedEvent {
  const message = `${next - from} events are missing here: they are no longer kept`;
  return { number: next - 1, event: 'gap', data: toData(id, { missing: next - from, message }) };
}

/**
 * Emits the statuses before all stored events: `queued` and the first `running`. Returns the listener's new position. A listener
 * that was cut off between a status and its step hears of that step first. One whose place names no status hears of the latest.
 */
export function* initialEvents(
  id: string,
  from: EventCursor,
  { begun, told: latest }: OpenInvocation,
  alone: boolean,
): Generator<StreamItem, EventCursor> {
  let cursor = from;
  const { told = from.number === 0 ? 'queued' : latest, step } = from;
  if (told === 'end' || isFinal(told)) return cursor;
  if (step === undefined || !isFinal(step)) cursor = yield* statusEvents(id, cursor, told, alone);
  if (begun && cursor.number === 0 && told === 'queued') cursor = yield* statusEvents(id, cursor, 'running', alone);
  return cursor;
}

/** What is new of how it stands; returns where the listener stands then. */
export function* statusEvents(
  id: string,
  from: EventCursor,
  status: Status,
  alone: boolean,
  at?: string,
): Generator<StreamItem, EventCursor> {
  let cursor = from;
  for (const news of statusChanges(from, status, alone)) {
    ({ cursor } = news);
    const data = { ...(news.event === 'step' && { index: 0 }), status, ...(at !== undefined && { at }) };
    yield { kind: 'event', id: formatCursor(cursor), event: news.event, data: toData(id, data) };
  }
  return cursor;
}

/** What every event says, and what this one does. */
export function toData(invocationId: string, data: object): string {
  return JSON.stringify({ invocationId, at: new Date().toISOString(), ...data });
}
