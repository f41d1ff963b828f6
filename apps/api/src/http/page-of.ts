import { ProblemError } from './problem-error.js';
import { wholeNumber } from './read-parameter.js';

/** A page of a list, and what asks for the next one. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** As they stand in a query. Without `limit`, all there is. */
export interface PageQuery {
  limit?: string;
  cursor?: string;
}

const MAX_LIMIT = 1_000;

/**
 * The page that a query asks for. The list is live: a cursor goes on after the last item that was given, and where that one is
 * gone, where it stood.
 * @throws ProblemError invalid_request for a limit or a cursor that is none
 */
export function pageOf<T>(list: readonly T[], idOf: (item: T) => string, { limit, cursor }: PageQuery): Page<T> {
  const size = wholeNumber('limit', limit, Infinity);
  if (size === 0 || (limit !== undefined && size > MAX_LIMIT))
    throw new ProblemError('invalid_request', `limit must be from 1 to ${MAX_LIMIT}, not ${size}`);
  const start = cursor === undefined ? 0 : startAfter(list, idOf, cursor);
  const items = list.slice(start, start + size);
  const next = start + items.length;
  const last = items.at(-1);
  return { items, nextCursor: last !== undefined && next < list.length ? encode(next, idOf(last)) : null };
}

function startAfter<T>(list: readonly T[], idOf: (item: T) => string, cursor: string): number {
  const [, place, id] = /^(\d{1,9}):(.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (place === undefined || id === undefined)
    throw new ProblemError('invalid_request', 'cursor must be a nextCursor that this list has given');
  const index = list.findIndex((item) => idOf(item) === id);
  return index === -1 ? Number(place) - 1 : index + 1;
}

function encode(place: number, id: string): string {
  return Buffer.from(`${place}:${id}`).toString('base64url');
}
