import type { InvocationRow } from '@errand/contracts';
import { csvOf } from './csv-text.js';
import { mergeRows } from './merge-rows.js';
import { readRowPage, readRowsOf } from './read-rows.js';
import type { ListFilters } from './url-filters.js';

const PAGE = 1_000;
/** The most rows of one file. */
const MOST_ROWS = 10_000;

/** The chosen rows: their ids, and the rows of the list, which may lack some of them. */
export interface ChosenRows {
  ids: ReadonlySet<string>;
  held: readonly InvocationRow[];
}

/** Downloads the first 10,000 rows that match the filters as CSV, or only the chosen ones. Returns how many the file has. */
export async function exportRows(filters: ListFilters, chosen: ChosenRows | undefined): Promise<number> {
  const rows = chosen ? await readChosen(chosen) : await readAll(filters);
  const address = URL.createObjectURL(new Blob([csvOf(rows)], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `invocations-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.csv`;
  link.click();
  // The browser has begun the download when the click returns.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return rows.length;
}

/** The chosen rows, newest first. Those that the list has released are read. */
export async function readChosen({ ids, held }: ChosenRows): Promise<readonly InvocationRow[]> {
  const known = held.filter(({ id }) => ids.has(id));
  const knownIds = new Set(known.map(({ id }) => id));
  const missing = [...ids].filter((id) => !knownIds.has(id));
  return mergeRows(known, await readRowsOf(missing)).slice(0, MOST_ROWS);
}

async function readAll(filters: ListFilters): Promise<readonly InvocationRow[]> {
  const rows: InvocationRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await readRowPage(filters, { cursor, limit: PAGE });
    rows.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && rows.length < MOST_ROWS);
  return rows.slice(0, MOST_ROWS);
}
