import { isFinal, STATUSES, type Status } from '@errand/contracts';

/** The position of a client in the event stream of an invocation: the last event and the last status that the client got. */
export interface EventCursor {
  /** The number of the last stored event. */
  number: number;
  status?: Status | 'end' | undefined;
  /** The last status of the only step. If the invocation has several steps, it equals `status`. */
  step?: Status | undefined;
}

export const START: EventCursor = { number: 0 };

/** An event of a new status, and the position of the client after it. */
interface StatusChange {
  event: 'status' | 'step';
  cursor: EventCursor;
}

/**
 * The events that bring a client at `from` up to `status`. At the end, the event of the step comes first, because only `end` may follow
 * the last status.
 * @param alone whether the invocation has one step only
 */
export function statusChanges(from: EventCursor, status: Status, alone: boolean): StatusChange[] {
  if (!alone) return from.status === status ? [] : [{ event: 'status', cursor: { ...from, status, step: status } }];
  const changes: StatusChange[] = [];
  let cursor = from;
  for (const event of isFinal(status) ? (['step', 'status'] as const) : (['status', 'step'] as const)) {
    if (cursor[event] === status) continue;
    cursor = { ...cursor, [event]: status };
    changes.push({ event, cursor });
  }
  return changes;
}

/** Represents a missing status in an id. */
const NOTHING = 'none';
const WORDS = new Map<string, Status | undefined>([
  ...STATUSES.map((status) => [status, status] as const),
  [NOTHING, undefined],
]);

/**
 * A cursor as the `id` of a server-sent event: `12-running`, or `12-running.queued` if the step has another status. Every process of the
 * API can resume from it.
 */
export function formatCursor({ number, status, step }: EventCursor): string {
  if (status === 'end') return `${number}-end`;
  if (status !== step) return `${number}-${status ?? NOTHING}.${step ?? NOTHING}`;
  return status === undefined ? `${number}` : `${number}-${status}`;
}

/** Reads the text of `formatCursor`; undefined for any other text. */
export function parseCursor(text: string): EventCursor | undefined {
  const [, digits, status, step = status] = /^(\d{1,15})(?:-([a-z_]+)(?:\.([a-z_]+))?)?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  if (status === undefined || step === undefined) return { number };
  if (status === 'end' && step === 'end') return { number, status };
  return WORDS.has(status) && WORDS.has(step)
    ? { number, status: WORDS.get(status), step: WORDS.get(step) }
    : undefined;
}
