import type { InboxItem } from '@errand/contracts';
import { useRef, useState } from 'preact/hooks';
import { usePagedList } from '../../api/use-paged-list.js';
import { useReloadOn } from '../../live/use-reload-on.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import { ErrorNotice, EmptyNotice, LoadingRows, PartialNotice } from '../../parts/notices.js';
import { stateOfList } from '../../parts/list-view.js';
import { InParts, PART } from '../../parts/in-parts.js';
import { Page } from '../../parts/page.js';
import { InboxCard } from './inbox-card.js';
import { InboxFilters } from './inbox-filters.js';
import { useInboxItems } from './inbox-items.js';
import './inbox.css';

/** How many cards are shown together, and how many of them have their forms at once. So the page stays small. */
const AT_ONCE = 20;
const OPEN_CARDS = 8;
/** Changes that come together are read once. */
const TOGETHER_MS = 250;

/** Everything that waits for a person, soonest deadline first. */
export default function InboxPage() {
  const { get } = useUrlQuery();
  const filters = { kind: get('kind'), toolId: get('toolId'), agent: get('agent') };
  const list = usePagedList<InboxItem>('/v1/inbox', { ...filters, limit: AT_ONCE });
  const { items, gone, remove } = useInboxItems(list, filters);
  useReloadOn(({ event }) => event === 'inbox', list.reload, TOGETHER_MS);
  const { data, error, isLoading, reload } = list;
  const state = stateOfList(list);
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <Page page="inbox" title="Inbox" state={state === 'empty' && items.length > 0 ? 'ready' : state}>
      <div class="stack">
        <InboxFilters />
        {data === undefined && isLoading && <LoadingRows />}
        {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
        <PartialNotice answer={data} />
        {data !== undefined && items.length === 0 && <EmptyInbox isFiltered={isFiltered} />}
        {items.length > 0 && (
          <InParts items={items} at={PART} size={AT_ONCE} label="questions" list={list}>
            {(part, offset) => <Cards key={offset} items={part} gone={gone} onDone={remove} />}
          </InParts>
        )}
      </div>
    </Page>
  );
}

/** A part of the inbox. */
function Cards({
  items,
  gone,
  onDone,
}: {
  items: readonly InboxItem[];
  gone: readonly InboxItem[];
  onDone: (id: string) => void;
}) {
  const { isOpen, open } = useOpenForms(items.map(({ id }) => id));
  return (
    <div class="stack">
      {items.map((item) => (
        <InboxCard
          key={item.id}
          item={item}
          isGone={gone.includes(item)}
          isOpen={isOpen(item.id)}
          onOpen={() => open(item.id)}
          onDone={() => onDone(item.id)}
        />
      ))}
    </div>
  );
}

/**
 * Which of these cards have their forms. A card that comes gets one while there is room. Another that a reader opens closes the one that
 * was opened first: what was typed there is kept.
 */
function useOpenForms(ids: readonly string[]): { isOpen: (id: string) => boolean; open: (id: string) => void } {
  const [, render] = useState(0);
  const known = useRef(new Set<string>());
  const opened = useRef<string[]>([]);
  opened.current = opened.current.filter((id) => ids.includes(id));
  for (const id of ids) {
    if (!known.current.has(id) && opened.current.length < OPEN_CARDS) opened.current.push(id);
  }
  known.current = new Set(ids);
  return {
    isOpen: (id) => opened.current.includes(id),
    open: (id) => {
      opened.current = [...opened.current.filter((other) => other !== id), id].slice(-OPEN_CARDS);
      render((count) => count + 1);
    },
  };
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
