import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { withQuery, type QueryChanges } from '../../api/use-url-query.js';
import { listenToFeed } from '../../live/follow-feed.js';
import { liveState } from '../../live/live-state.js';
import { ActionButton } from '../../parts/action-button.js';
import { formatCount } from '../../parts/format.js';
import { EmptyNotice, ErrorNotice, LoadingRows, PartialNotice } from '../../parts/notices.js';
import { Page, type PageState } from '../../parts/page.js';
import { showToast } from '../../shell/toasts.js';
import { BulkDialog } from '../bulk/bulk-dialog.js';
import { BulkBar, type BulkAction } from './bulk-bar.js';
import { exportRows } from './export-rows.js';
import { FilterBar } from './filter-bar.js';
import { InvocationGrid } from './invocation-grid.js';
import { InvocationList, sumOfCounts } from './invocation-list.js';
import { filtersIn, queryOf } from './url-filters.js';
import './invocations.css';
import { RowSelection } from './row-selection.js';
import { SaveViewButton, ViewLinks } from './view-links.js';

interface ShownList {
  key: string;
  list: InvocationList;
  selection: RowSelection;
  stop: () => void;
}

/** The last list that was shown. It goes on taking the events of the feed, so that after Back it is there at once, with what has changed. */
let last: ShownList | undefined;

function listFor(search: string) {
  const filters = filtersIn(search);
  const key = JSON.stringify([...filters].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  if (last?.key === key) return last;
  last?.stop();
  const list = new InvocationList(filters);
  const stopListening = listenToFeed((event) => list.accept(event));
  const stop = () => {
    stopListening();
    list.close();
  };
  last = { key, list, selection: new RowSelection(), stop };
  return last;
}

/** All invocations of the tenant, newest first. */
export default function InvocationsPage() {
  const { url, route } = useLocation();
  const { search } = new URL(url, location.origin);
  const { key, list, selection } = listFor(search);
  const [bulk, setBulk] = useState<{ action: BulkAction; key: string }>();
  useReturn(list);
  const change = (changes: QueryChanges, isMore = false) => route(withQuery(url, changes), isMore);
  const clear = () => route('/console/invocations');
  const matching = countText(list);
  return (
    <Page
      page="invocations"
      title="Invocations"
      state={stateOf(list)}
      subtitle={
        <span data-testid="count">
          {matching === undefined ? '…' : `${matching} ${matching === '1' ? 'invocation' : 'invocations'}`}
        </span>
      }
      actions={
        <>
          <SaveViewButton search={search} />
          <PageActions list={list} selection={selection} />
        </>
      }
    >
      <ViewLinks search={search} />
      <FilterBar filters={list.filters} onChange={change} onClear={clear} />
      <PartialNotice answer={list.partial.value} />
      {list.error.value !== undefined && <ErrorNotice error={list.error.value} onRetry={() => void retry(list)} />}
      {/* What appears meanwhile floats over the rows: it never moves them under the pointer. */}
      <div class="grid-area">
        <FreshButton list={list} />
        <Rows key={key} list={list} selection={selection} onClear={clear} />
        <BulkBar
          selection={selection}
          matching={matching}
          isAllShown={selection.count.value >= list.rows.value.length}
          onAction={(action) => setBulk({ action, key })}
        />
      </div>
      {list.rows.value.length > 0 && <ListFoot list={list} />}
      {/* A dialog belongs to the filters for which it was opened: other ones close it. */}
      {bulk?.key === key && (
        <BulkDialog action={bulk.action} {...chosen(list, selection)} onClose={() => setBulk(undefined)} />
      )}
    </Page>
  );
}

function Rows({ list, selection, onClear }: { list: InvocationList; selection: RowSelection; onClear: () => void }) {
  if (list.rows.value.length > 0) return <InvocationGrid list={list} selection={selection} />;
  if (list.isLoading.value) return <LoadingRows count={12} />;
  if (list.error.value !== undefined) return null;
  if (list.cursor.value !== null) return <ListFoot list={list} />;
  if (list.filters.size > 0)
    return (
      <EmptyNotice title="No invocation matches these filters">
        <p>Loosen a filter, or look at all invocations.</p>
        <button type="button" class="button" onClick={onClear}>
          Clear the filters
        </button>
      </EmptyNotice>
    );
  return (
    <EmptyNotice title="No tool was called yet">
      <p>
        Submit one with <code>POST /v1/invocations</code>, or <a href="/console/try">try a tool here</a>. It appears by
        itself.
      </p>
    </EmptyNotice>
  );
}

function FreshButton({ list }: { list: InvocationList }) {
  const count = list.freshCount.value;
  if (count === 0 && !list.mayHaveMore.value) return null;
  return (
    <button type="button" class="new-rows" data-testid="new-rows" onClick={() => void showFresh(list)}>
      {count > 0 ? `${formatCount(count)}${list.mayHaveMore.value ? '+' : ''} new` : 'Look for new ones'}
    </button>
  );
}

function ListFoot({ list }: { list: InvocationList }) {
  const { rows, released, cursor, isLoadingMore } = list;
  const first = released.value + 1;
  return (
    <div class="list-foot">
      <span class="faint">
        {rows.value.length > 0 && `Rows ${formatCount(first)} to ${formatCount(released.value + rows.value.length)}`}
        {cursor.value === null && ', the last'}
      </span>
      <span class="actions">
        <button type="button" class="button" data-testid="newest" onClick={() => void showNewest(list)}>
          Newest
        </button>
        <button
          type="button"
          class="button"
          data-testid="older"
          disabled={cursor.value === null || isLoadingMore.value}
          onClick={() => void showOlder(list)}
        >
          Older
        </button>
      </span>
    </div>
  );
}

function PageActions({ list, selection }: { list: InvocationList; selection: RowSelection }) {
  const save = async () => {
    const ids = selection.ids.value;
    const rows = selection.isWhole.value ? [] : list.rows.value.filter(({ id }) => ids.has(id));
    showToast(`The file has ${formatCount(await exportRows(list.filters, rows))} rows`);
  };
  return (
    <ActionButton testId="export-csv" onAction={save}>
      Export CSV
    </ActionButton>
  );
}

/** Reads again what had failed when the API is back. */
function useReturn(list: InvocationList): void {
  const isLive = liveState.value === 'live';
  useEffect(() => {
    if (isLive && list.error.value !== undefined) void retry(list);
  }, [isLive, list]);
}

function retry(list: InvocationList): Promise<void> {
  return list.rows.value.length === 0 || list.cursor.value === null ? list.loadNewest() : list.loadOlder();
}

async function showNewest(list: InvocationList): Promise<void> {
  list.scrollTop = 0;
  toTop();
  if (list.released.value > 0) await list.loadNewest();
  else if (list.freshCount.value > 0 || list.mayHaveMore.value) await list.showFresh();
  toTop();
}

async function showFresh(list: InvocationList): Promise<void> {
  await list.showFresh();
  toTop();
}

function toTop(): void {
  document.querySelector('[data-testid=rows]')?.scrollTo({ top: 0 });
}

/** Reads the next page, and shows its beginning. */
async function showOlder(list: InvocationList): Promise<void> {
  await list.loadOlder();
  const rows = document.querySelector('[data-testid=rows]');
  rows?.scrollBy({ top: rows.clientHeight });
}

/** What a bulk action concerns: the chosen rows, or everything that matches the filters. */
function chosen(list: InvocationList, selection: RowSelection) {
  return selection.isWhole.value ? { filter: queryOf(list.filters) } : { ids: [...selection.ids.value] };
}

function countText(list: InvocationList): string | undefined {
  const counts = list.counts.value;
  if (!counts) return undefined;
  return `${counts.approximate ? 'at least ' : ''}${formatCount(sumOfCounts(counts))}`;
}

function stateOf(list: InvocationList): PageState {
  if (list.rows.value.length > 0) return 'ready';
  if (list.isLoading.value) return 'loading';
  return list.error.value === undefined ? 'empty' : 'error';
}
