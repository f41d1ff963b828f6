import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { withQuery, type QueryChanges } from '../../api/use-url-query.js';
import { listenToFeed } from '../../live/follow-feed.js';
import { liveState } from '../../live/live-state.js';
import { ActionButton } from '../../parts/action-button.js';
import { formatCount, plural } from '../../parts/format.js';
import { EmptyNotice, ErrorNotice, LoadingRows, PartialNotice } from '../../parts/notices.js';
import { Page, type PageState } from '../../parts/page.js';
import { showToast } from '../../shell/toasts.js';
import { BulkDialog } from '../bulk/bulk-dialog.js';
import { BulkBar, type BulkAction } from './bulk-bar.js';
import { exportRows } from './export-rows.js';
import { FilterBar } from './filter-bar.js';
import { InvocationGrid } from './invocation-grid.js';
import { InvocationList } from './invocation-list.js';
import { FreshButton, ListFoot } from './list-buttons.js';
import { filtersIn, queryOf } from './url-filters.js';
import './invocations.css';
import { RowSelection } from './row-selection.js';
import { sumOfCounts } from './sum-of-counts.js';
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
          {matching === undefined ? '…' : `${matching} ${plural(sumOf(list), 'invocation', 'invocations')}`}
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
        <BulkDialog
          action={bulk.action}
          {...chosen(list, selection)}
          onClose={() => setBulk(undefined)}
          onBegun={() => selection.clear()}
        />
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

function PageActions({ list, selection }: { list: InvocationList; selection: RowSelection }) {
  const save = async () => {
    const ids = selection.ids.value;
    const isAll = selection.isWhole.value || ids.size === 0;
    const count = await exportRows(list.filters, isAll ? undefined : { ids, held: list.rows.value });
    showToast(`The file has ${formatCount(count)} ${plural(count, 'row', 'rows')}`);
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

/** What a bulk action concerns: the chosen rows, or everything that matches the filters. */
function chosen(list: InvocationList, selection: RowSelection) {
  return selection.isWhole.value ? { filter: queryOf(list.filters) } : { ids: [...selection.ids.value] };
}

function countText(list: InvocationList): string | undefined {
  const counts = list.counts.value;
  if (!counts) return undefined;
  return `${counts.approximate ? 'at least ' : ''}${formatCount(sumOf(list))}`;
}

function sumOf({ counts }: InvocationList): number {
  return counts.value ? sumOfCounts(counts.value) : 0;
}

function stateOf(list: InvocationList): PageState {
  if (list.rows.value.length > 0) return 'ready';
  if (list.isLoading.value) return 'loading';
  return list.error.value === undefined ? 'empty' : 'error';
}
