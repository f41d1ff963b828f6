import type { InvocationCounts, InvocationRow } from '@errand/contracts';
import { read } from '../../api/call-api.js';
import type { ListPage } from '../../parts/list-view.js';
import { queryOf, type ListFilters } from './url-filters.js';

const PATH = '/v1/invocations';
const PAGE = 100;
/** The most ids of one request. */
export const MOST_IDS = 100;

interface PageOptions {
  /** Behind which row the page begins. Without one, it is the first page. */
  cursor?: string | undefined;
  limit?: number;
  signal?: AbortSignal;
}

/** A page of the rows that match the filters, newest first. @throws RefusedRequest, ServerAway */
export function readRowPage(
  filters: ListFilters,
  { cursor, limit = PAGE, signal }: PageOptions = {},
): Promise<ListPage<InvocationRow>> {
  return read(PATH, { ...queryOf(filters), view: 'row', limit, cursor }, signal);
}

/** The rows with these ids, whatever the filters are. Unknown ids have none. At most `MOST_IDS` are read with one request. */
export async function readRowsOf(ids: readonly string[], signal?: AbortSignal): Promise<readonly InvocationRow[]> {
  const rows: InvocationRow[] = [];
  for (let from = 0; from < ids.length; from += MOST_IDS) {
    const part = ids.slice(from, from + MOST_IDS).join(',');
    const { items } = await read<ListPage<InvocationRow>>(PATH, { view: 'row', ids: part }, signal);
    rows.push(...items);
  }
  return rows;
}

/** How many invocations match the filters. */
export function readCounts(filters: ListFilters, signal?: AbortSignal): Promise<InvocationCounts> {
  return read(`${PATH}/counts`, queryOf(filters), signal);
}
