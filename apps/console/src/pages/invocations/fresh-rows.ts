import type { InvocationRow } from '@errand/contracts';
import { matchesRow, type ListFilters } from './url-filters.js';

type FreshRows = ReadonlyMap<string, InvocationRow>;

/**
 * The invocations that wait for the reader, after changes of rows that the list does not show. Not many more than `most` are held.
 *
 * @returns `isUnsure`: a row does not tell whether it matches the filters; `fresh` is the same object if no row waits before and after
 */
export function freshAfter(
  before: FreshRows,
  changed: readonly InvocationRow[],
  { filters, most }: { filters: ListFilters; most: number },
): { fresh: FreshRows; isUnsure: boolean } {
  const fresh = new Map(before);
  let isUnsure = false;
  for (const row of changed) {
    const isMatch = matchesRow(filters, row);
    if (isMatch === undefined) isUnsure = true;
    if (isMatch === true && fresh.size <= most) fresh.set(row.id, row);
    if (isMatch === false) fresh.delete(row.id);
  }
  return { fresh: fresh.size > 0 || before.size > 0 ? fresh : before, isUnsure };
}
