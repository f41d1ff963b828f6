import type { PartialAnswer } from '@errand/contracts';
import { ProblemError } from './problem-error.js';
import { wholeNumber } from './read-parameter.js';

/** A page of a list, and the cursor of the next page. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** A page of all shards. */
export interface PartialPage<T> extends Page<T>, PartialAnswer {}

/** Parameters of a query. Without `limit`, the page has all items. */
interface PageQuery {
  limit?: string;
  cursor?: string;
}

const MAX_LIMIT = 1_000;

/**
 * The page that a query asks for. The list may change between pages. A page begins after the last item of the previous page. If that
 * item was removed, it begins at the old position of the item.
 * @throws ProblemError invalid_request for a malformed limit or cursor
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
  const [, position, id] = /^(\d{1,9}):(.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (position === undefined || id === undefined)
    throw new ProblemError('invalid_request', 'cursor must be a nextCursor that this list has given');
  const index = list.findIndex((item) => idOf(item) === id);
  return index === -1 ? Number(position) - 1 : index + 1;
}

function encode(position: number, id: string): string {
  return Buffer.from(`${position}:${id}`).toString('base64url');
}
