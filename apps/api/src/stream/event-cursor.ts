import { isFinal, STATUSES, type Status } from '@errand/contracts';

/** Where a listener stands in what an invocation tells: the number of the last event, and what was told last of how it stands. */
export interface EventCursor {
  number: number;
  told?: Status | 'end' | undefined;
  /** Of the only step, which stands as its invocation does and is told of beside it. Of several, the same as `told`. */
  step?: Status | undefined;
}

export const START: EventCursor = { number: 0 };

/** What is told of how an invocation stands, and where the listener stands then. */
export interface StatusChange {
  event: 'status' | 'step';
  cursor: EventCursor;
}

/**
 * What is new to a listener at this place where the invocation stands so. At the end the step goes first: behind the last status comes
 * nothing but the end.
 * @param alone whether it has but one step
 */
export function statusChanges(from: EventCursor, status: Status, alone: boolean): StatusChange[] {
  if (!alone) return from.told === status ? [] : [{ event: 'status', cursor: { ...from, told: status, step: status } }];
  const both = [
    { event: 'status', field: 'told' },
    { event: 'step', field: 'step' },
  ] as const;
  const news: StatusChange[] = [];
  let cursor = from;
  for (const { event, field } of isFinal(status) ? both.toReversed() : both) {
    if (cursor[field] === status) continue;
    cursor = { ...cursor, [field]: status };
    news.push({ event, cursor });
  }
  return news;
}

/** In ids, what has not been told yet. */
const NOTHING = 'none';
const WORDS = new Map<string, Status | undefined>([
  ...STATUSES.map((status) => [status, status] as const),
  [NOTHING, undefined],
]);

/**
 * A place as the `id` of a server-sent event: `12-running`; `12-running.queued` where the step was told otherwise. Any process can go on
 * from it.
 */
export function formatCursor({ number, told, step }: EventCursor): string {
  if (told === 'end') return `${number}-end`;
  if (told !== step) return `${number}-${told ?? NOTHING}.${step ?? NOTHING}`;
  return told === undefined ? `${number}` : `${number}-${told}`;
}

/** What `formatCursor` wrote; undefined for anything else. */
export function parseCursor(text: string): EventCursor | undefined {
  const [, digits, told, step = told] = /^(\d{1,15})(?:-([a-z_]+)(?:\.([a-z_]+))?)?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  if (told === undefined || step === undefined) return { number };
  if (told === 'end' && step === 'end') return { number, told };
  return WORDS.has(told) && WORDS.has(step) ? { number, told: WORDS.get(told), step: WORDS.get(step) } : undefined;
}
