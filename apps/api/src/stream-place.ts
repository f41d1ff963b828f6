import { STATUSES, type Status } from '@errand/contracts';

/** Where a listener stands in what an invocation tells: the number of the last event, and the status that was told last. */
export interface Place {
  number: number;
  told?: Status | 'end';
}

export const BEGINNING: Place = { number: 0 };

/** A place as the `id` of a server-sent event: `12-running`. Any process can go on from it. */
export function writePlace({ number, told }: Place): string {
  return told === undefined ? `${number}` : `${number}-${told}`;
}

/** What `writePlace` wrote; undefined for anything else. */
export function readPlace(text: string): Place | undefined {
  const [, digits, word] = /^(\d{1,15})(?:-([a-z_]+))?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  if (word === undefined) return { number };
  const told = [...STATUSES, 'end' as const].find((known) => known === word);
  return told && { number, told };
}
