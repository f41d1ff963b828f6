import { isFinal, type Status } from '@errand/contracts';
import type { NumberedEvent, OpenInvocation } from '@errand/queue';
import { formatCursor, statusChanges, type EventCursor } from './event-cursor.js';

/**
 * An item of an event stream. A client may resume after `id`; `data` is JSON. Events of other protocols are data alone. A heartbeat keeps the
 * connection open.
 */
export type StreamItem =
  | { kind: 'heartbeat' }
  | { kind: 'event'; id: string; event: string; data: string }
  | { kind: 'data'; data: string };

/** A stored event of the invocation, serialized once for all clients. */
export interface SerializedEvent {
  number: number;
  /** Set for the event of a status. It also makes an event of the only step. */
  status?: Status;
  at?: string;
  event: string;
  data: string;
}

export function serializeEvent(id: string, { number, event: logged }: NumberedEvent): SerializedEvent {
  const { event, ...data } = logged;
  const statusFields = logged.event === 'status' && { status: logged.status, at: logged.at };
  return { number, event, data: toData(id, data), ...statusFields };
}

/** Replaces the events that Redis no longer has. */
export function gapEvent(id: string, from: number, next: number): SerializedEvent {
  const message = `${next - from} events are missing here: Errand no longer keeps them`;
  return { number: next - 1, event: 'gap', data: toData(id, { missing: next - from, message }) };
}

/**
 * Emits the statuses before all stored events: `queued` and the first `running`. Returns the client's new position. A client that was
 * disconnected between a status and its step gets the event of that step first. A cursor without a status gets the latest one.
 */
export function* initialEvents(
  id: string,
  from: EventCursor,
  { begun, lastStatus: latest }: OpenInvocation,
  alone: boolean,
): Generator<StreamItem, EventCursor> {
  let cursor = from;
  const { status = from.number === 0 ? 'queued' : latest, step } = from;
  if (status === 'end' || isFinal(status)) return cursor;
  if (step === undefined || !isFinal(step)) cursor = yield* statusEvents(id, cursor, status, alone);
  if (begun && cursor.number === 0 && status === 'queued') cursor = yield* statusEvents(id, cursor, 'running', alone);
  return cursor;
}

/** Emits what a client at `from` misses of `status`; returns the client's new position. */
export function* statusEvents(
  id: string,
  from: EventCursor,
  status: Status,
  alone: boolean,
  at?: string,
): Generator<StreamItem, EventCursor> {
  let cursor = from;
  for (const change of statusChanges(from, status, alone)) {
    ({ cursor } = change);
    const data = { ...(change.event === 'step' && { index: 0 }), status, ...(at !== undefined && { at }) };
    yield { kind: 'event', id: formatCursor(cursor), event: change.event, data: toData(id, data) };
  }
  return cursor;
}

/** The data of an event: the fields of every event, and its own. */
export function toData(invocationId: string, data: object): string {
  return JSON.stringify({ invocationId, at: new Date().toISOString(), ...data });
}
