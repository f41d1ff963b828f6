import type { InboxItem } from '@errand/contracts';
import { useEffect, useState } from 'preact/hooks';
import { usePagedList, type PagedList } from '../../api/use-paged-list.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import { ErrorNotice, EmptyNotice, LoadingRows, PartialNotice } from '../../parts/notices.js';
import { stateOfList } from '../../parts/list-view.js';
import { MoreButton } from '../../parts/more-button.js';
import { Page } from '../../parts/page.js';
import { readDrafts } from './answer-drafts.js';
import { InboxCard } from './inbox-card.js';
import { InboxFilters } from './inbox-filters.js';
import { useInboxChanges } from './use-inbox-changes.js';
import './inbox.css';

/** The cards whose forms are there at once. The others open at a click, so that the page stays small. */
const OPEN_CARDS = 8;

const FILTERS = ['kind', 'toolId', 'agent'] as const;
type Filters = Readonly<Record<(typeof FILTERS)[number], string>>;

/** Everything that waits for a person, soonest deadline first. */
export default function InboxPage() {
  const { get } = useUrlQuery();
  const filters = { kind: get('kind'), toolId: get('toolId'), agent: get('agent') };
  const list = usePagedList<InboxItem>('/v1/inbox', filters);
  const kept = useKept(list, filters);
  useInboxChanges(list.reload);
  const { data, error, isLoading, reload } = list;
  const items = [...kept.gone, ...(data?.items ?? [])];
  const state = stateOfList(list);
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <Page page="inbox" title="Inbox" state={state === 'empty' && items.length > 0 ? 'ready' : state}>
      <div class="stack">
        <InboxFilters />
        {data === undefined && isLoading && <LoadingRows />}
        {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
        <PartialNotice isPartial={data?.partial} />
        {data !== undefined && items.length === 0 && <EmptyInbox isFiltered={isFiltered} />}
        {items.map((item, index) => (
          <InboxCard
            key={item.id}
            item={item}
            isGone={kept.gone.includes(item)}
            isOpen={index < OPEN_CARDS}
            onDone={() => {
              kept.forget(item.id);
              list.replace((before) => ({ ...before, items: before.items.filter(({ id }) => id !== item.id) }));
            }}
          />
        ))}
        <MoreButton list={list} />
      </div>
    </Page>
  );
}

/** The items for which this browser has a half-typed answer, although they do not wait any more. */
function useKept(
  { data }: PagedList<InboxItem>,
  filters: Filters,
): { gone: InboxItem[]; forget: (id: string) => void } {
  const [gone, setGone] = useState<InboxItem[]>([]);
  useEffect(() => {
    // An item of a page that is not read yet may still wait.
    if (!data || data.nextCursor !== null || data.partial) return;
    const waiting = new Set(data.items.map(({ id }) => id));
    setGone(readDrafts().flatMap(({ item }) => (waiting.has(item.id) || !isListed(item, filters) ? [] : [item])));
  }, [data]);
  return { gone, forget: (id) => setGone((before) => before.filter((item) => item.id !== id)) };
}

/** An item that the filters leave out may still wait, although the list lacks it. */
function isListed({ kind, toolId, agent }: InboxItem, filters: Filters): boolean {
  const given = { kind, toolId, agent };
  return FILTERS.every((name) => filters[name] === '' || filters[name] === given[name]);
}

function EmptyInbox({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyNotice title="Nothing that waits fits these filters">
        <a href="/console/inbox">Show everything that waits</a>
      </EmptyNotice>
    );
  return (
    <EmptyNotice title="Nothing waits for a person">
      A tool with <code>implementation: {'{type: external}'}</code> or a node that asks appears here, soonest deadline
      first. See <a href="/console/invocations?status=waiting_external">invocations that wait</a>.
    </EmptyNotice>
  );
}
