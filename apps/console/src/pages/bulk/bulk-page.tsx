import type { BulkAction } from '@errand/contracts';
import { usePagedList } from '../../api/use-paged-list.js';
import { usePolling } from '../../api/use-polling.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import { ListView, stateOfList } from '../../parts/list-view.js';
import { InParts, PART } from '../../parts/in-parts.js';
import { EmptyNotice } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { BulkCard } from './bulk-card.js';
import './bulk.css';

/** How many actions are read and shown together. */
const AT_ONCE = 15;

/** The bulk actions of the last week. */
export default function BulkPage() {
  const { get } = useUrlQuery();
  const list = usePagedList<BulkAction>('/v1/bulk', { limit: AT_ONCE });
  const isRunning = list.data?.items.some(({ state }) => state === 'running') ?? false;
  usePolling(isRunning, list.reload);
  return (
    <Page
      page="bulk"
      title="Bulk actions"
      state={stateOfList(list)}
      subtitle="Actions on many invocations. They go on when this page is closed, and are kept for 7 days."
    >
      <ListView
        list={list}
        empty={
          <EmptyNotice title="No bulk action in the last 7 days">
            Select rows of <a href="/console/invocations">the invocations</a>, or filter them, and cancel or retry them
            all. Dead callbacks are sent again from <a href="/console/deliveries?status=failed">the deliveries</a>.
          </EmptyNotice>
        }
      >
        {(all) => (
          <InParts items={all} at={PART} size={AT_ONCE} label="bulk actions" list={list}>
            {(items) => (
              <ul class="stack">
                {items.map((action) => (
                  <BulkCard key={action.id} action={action} isNew={action.id === get('id')} onChange={list.reload} />
                ))}
              </ul>
            )}
          </InParts>
        )}
      </ListView>
    </Page>
  );
}
