import type { InvocationRow } from '@errand/contracts';
import { read } from '../../api/call-api.js';
import type { ListPage } from '../../parts/list-view.js';
import { csvOf } from './csv-text.js';
import { queryOf, type ListFilters } from './url-filters.js';

const PAGE = 1_000;
/** The most rows of one file. */
const MOST_ROWS = 10_000;

/** Downloads these rows as CSV, or without them the first 10,000 rows that match the filters. Returns how many the file has. */
export async function exportRows(filters: ListFilters, chosen: readonly InvocationRow[]): Promise<number> {
  const rows = chosen.length > 0 ? chosen : await readAll(filters);
  const address = URL.createObjectURL(new Blob([csvOf(rows)], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `invocations-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.csv`;
  link.click();
  // The browser has begun the download when the click returns.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return rows.length;
}

async function readAll(filters: ListFilters): Promise<readonly InvocationRow[]> {
  const rows: InvocationRow[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...queryOf(filters), view: 'row', limit: PAGE, cursor };
    const page: ListPage<InvocationRow> = await read('/v1/invocations', query);
    rows.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && rows.length < MOST_ROWS);
  return rows.slice(0, MOST_ROWS);
}
