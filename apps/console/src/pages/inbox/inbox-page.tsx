import type { InboxItem } from '@errand/contracts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { usePagedList, type PagedList } from '../../api/use-paged-list.js';
import { useReloadOn } from '../../api/use-reload-on.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import { ErrorNotice, EmptyNotice, LoadingRows, PartialNotice } from '../../parts/notices.js';
import { stateOfList } from '../../parts/list-view.js';
import { InParts, PART } from '../../parts/in-parts.js';
import { Page } from '../../parts/page.js';
import { readDrafts } from './answer-drafts.js';
import { InboxCard } from './inbox-card.js';
import { InboxFilters } from './inbox-filters.js';
import './inbox.css';

/** How many cards are shown together, and how many of them have their forms at once. So the page stays small. */
const AT_ONCE = 20;
const OPEN_CARDS = 8;
/** Changes that come together are read once. */
const TOGETHER_MS = 250;

const FILTERS = ['kind', 'toolId', 'agent'] as const;
type Filters = Readonly<Record<(typeof FILTERS)[number], string>>;

/** Everything that waits for a person, soonest deadline first. */
export default function InboxPage() {
  const { get } = useUrlQuery();
  const filters = { kind: get('kind'), toolId: get('toolId'), agent: get('agent') };
  const list = usePagedList<InboxItem>('/v1/inbox', { ...filters, limit: AT_ONCE });
  const kept = useKept(list, filters);
  useReloadOn(({ event }) => event === 'inbox', list.reload, TOGETHER_MS);
  const { data, error, isLoading, reload } = list;
  const items = [...kept.gone, ...(data?.items ?? [])];
  const state = stateOfList(list);
  const done = (id: string) => {
    kept.forget(id);
    list.replace((before) => ({ ...before, items: before.items.filter((item) => item.id !== id) }));
  };
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
            {(part, offset) => <Cards key={offset} items={part} gone={kept.gone} onDone={done} />}
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
    known.current.add(id);
  }
  return {
    isOpen: (id) => opened.current.includes(id),
    open: (id) => {
      opened.current = [...opened.current.filter((other) => other !== id), id].slice(-OPEN_CARDS);
      render((count) => count + 1);
    },
  };
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
