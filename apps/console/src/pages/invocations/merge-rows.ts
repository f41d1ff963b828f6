import type { InvocationRow } from '@errand/contracts';

/** Both lists in one, newest first, each invocation once. A row of `added` replaces an older one. */
export function mergeRows(rows: readonly InvocationRow[], added: readonly InvocationRow[]): readonly InvocationRow[] {
  if (added.length === 0) return rows;
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const row of added) byId.set(row.id, row);
  return [...byId.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

/** The rows with those of `changed` in their places. Rows that have not changed stay the same objects; so does the list without any. */
export function replaceRows(
  rows: readonly InvocationRow[],
  changed: ReadonlyMap<string, InvocationRow>,
): readonly InvocationRow[] {
  if (!rows.some(({ id }) => changed.has(id))) return rows;
  return rows.map((row) => changed.get(row.id) ?? row);
}

/** The last `most` rows, and how many before them were released. */
export function releaseFirst(
  rows: readonly InvocationRow[],
  most: number,
): { kept: readonly InvocationRow[]; released: number } {
  const released = Math.max(0, rows.length - most);
  return { kept: released === 0 ? rows : rows.slice(released), released };
}
