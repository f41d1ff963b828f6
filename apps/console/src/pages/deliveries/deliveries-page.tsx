import type { ListedDelivery } from '@errand/contracts';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { usePagedList } from '../../api/use-paged-list.js';
import { usePolling } from '../../api/use-polling.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import { ActionButton } from '../../parts/action-button.js';
import { now } from '../../parts/clock.js';
import { ListView, stateOfList } from '../../parts/list-view.js';
import { ChoiceFilter, ListFilters, TextFilter } from '../../parts/filter-fields.js';
import { InParts, PART } from '../../parts/in-parts.js';
import { EmptyNotice } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { BulkDialog } from '../bulk/bulk-dialog.js';
import { DELIVERY_LOOKS } from './delivery-mark.js';
import { DeliveryRow } from './delivery-row.js';
import '../../styles/stacked-table.css';
import './deliveries.css';

const CHOICES = Object.entries(DELIVERY_LOOKS).map(([value, { word }]) => ({ value, word }));
const FILTERS = ['status', 'receiver', 'from'];
/** How long the page looks for the outcome of a callback that is sent again, in ms. The feed reports no deliveries. */
const AWAITED_MS = 30_000;
/** How many deliveries are read and shown together. */
const AT_ONCE = 50;

/** The callback deliveries of all invocations. */
export default function DeliveriesPage() {
  const { get } = useUrlQuery();
  const { route } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [status, receiver, from] = [get('status'), get('receiver'), get('from')];
  const list = usePagedList<ListedDelivery>('/v1/deliveries', { status, receiver, from, limit: AT_ONCE });
  const [repeatedAt, setRepeatedAt] = useState(-Infinity);
  // A filter can hide the callback while it is pending, so the list does not say whether one is.
  usePolling(now.value - repeatedAt < AWAITED_MS, list.reload);
  const noteRepeat = () => {
    setRepeatedAt(Date.now());
    list.reload();
  };
  const isFiltered = status !== '' || receiver !== '' || from !== '';
  // A bulk action knows no receivers, and would touch more than the list shows.
  const mayRepeatAll = status === 'failed' && receiver === '' && (list.data?.items.length ?? 0) > 0;
  return (
    <Page
      page="deliveries"
      title="Deliveries"
      state={stateOfList(list)}
      subtitle="Callbacks to your receivers, the newest invocation first. A dead delivery has used up its attempts."
      actions={
        mayRepeatAll && (
          <ActionButton scope="operate" testId="bulk-redeliver" onAction={() => setOpen(true)}>
            Send all dead ones again…
          </ActionButton>
        )
      }
    >
      <ListFilters names={FILTERS}>
        <ChoiceFilter name="status" label="Status" testId="filter-status" whole="Every status" choices={CHOICES} />
        <TextFilter name="receiver" label="Receiver" testId="filter-receiver" hint="hooks.example:8443" />
        <TextFilter name="from" label="Accepted from" testId="filter-from" hint="2026-11-21" />
      </ListFilters>
      <ListView list={list} empty={<NoDeliveries isFiltered={isFiltered} />}>
        {(all) => (
          <InParts items={all} at={PART} size={AT_ONCE} label="deliveries" list={list}>
            {(items) => <DeliveryTable items={items} onRepeated={noteRepeat} />}
          </InParts>
        )}
      </ListView>
      {isOpen && (
        <BulkDialog
          action="redeliver"
          filter={from === '' ? {} : { from }}
          onClose={() => setOpen(false)}
          onBegun={(id) => route(`/console/bulk?id=${encodeURIComponent(id)}`)}
        />
      )}
    </Page>
  );
}

function DeliveryTable({ items, onRepeated }: { items: readonly ListedDelivery[]; onRepeated: () => void }) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Deliveries">
      <table class="table-stacked">
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Receiver</th>
            <th scope="col">Invocation</th>
            <th scope="col">Last attempt</th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} onRepeated={onRepeated} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return <EmptyNotice title="No delivery matches these filters">Clear one of them to see more.</EmptyNotice>;
  return (
    <EmptyNotice title="No callback was requested yet">
      Give a <code>callback</code> with a <code>url</code> beside a submission: its receiver gets a signed message when
      the invocation ends.
    </EmptyNotice>
  );
}
