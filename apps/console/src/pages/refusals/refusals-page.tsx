import type { Refusal, RefusalSummary } from '@errand/contracts';
import { useEffect, useState } from 'preact/hooks';
import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { usePagedList, type PagedList } from '../../api/use-paged-list.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import { listenToFeed } from '../../live/follow-feed.js';
import { formatCount } from '../../parts/format.js';
import { EmptyNotice } from '../../parts/notices.js';
import { ListView, stateOfList, type ListPage } from '../../parts/list-view.js';
import { InParts, PART } from '../../parts/in-parts.js';
import { Page } from '../../parts/page.js';
import { FILTERS, RefusalFilters } from './refusal-filters.js';
import { RefusalRows } from './refusal-rows.js';
import { GROUPS, KEYS_PART, SummaryTable } from './summary-table.js';
import './refusals.css';

/** How many refusals are read and shown together. */
const AT_ONCE = 50;

/** What models get wrong: counts by tool, parameter, code and agent, and each refused submission. */
export default function RefusalsPage() {
  const { get } = useUrlQuery();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, get(name)]));
  const list = usePagedList<Refusal>('/v1/refusals', { ...filters, limit: AT_ONCE });
  const isOff = list.data !== undefined && 'kept' in list.data;
  return (
    <Page
      page="refusals"
      title="Refusals"
      state={stateOfList(list)}
      subtitle="Submissions that were refused because a text could not be read, or because a call did not fit its tool."
    >
      <div class="stack">
        {isOff ? (
          <EmptyNotice title="Refusals are not kept">
            ERRAND_REFUSALS_COUNT of the API is 0. Set it to another number, such as 10000, and restart the API.
          </EmptyNotice>
        ) : (
          <>
            <Summary />
            <RefusedSubmissions list={list} />
          </>
        )}
      </div>
    </Page>
  );
}

function RefusedSubmissions({ list }: { list: PagedList<Refusal> }) {
  const fresh = useNewRefusals(list.data);
  return (
    <section class="stack" aria-labelledby="refused-title">
      <h2 id="refused-title">Refused submissions</h2>
      <RefusalFilters />
      {fresh > 0 && (
        <button type="button" class="button summary-more" data-testid="new-rows" onClick={list.reload}>
          {formatCount(fresh)} new
        </button>
      )}
      <ListView list={list} empty={<NoRefusals />}>
        {(items) => (
          <InParts items={items} at={PART} size={AT_ONCE} label="refusals" list={list}>
            {(part) => <RefusalRows items={part} />}
          </InParts>
        )}
      </ListView>
    </section>
  );
}

function NoRefusals() {
  const { get } = useUrlQuery();
  if (FILTERS.some((name) => get(name) !== ''))
    return <EmptyNotice title="No refusal has these filters">Remove a filter, or widen the time.</EmptyNotice>;
  return (
    <EmptyNotice title="No submission was refused">
      Each text or call that a model gets wrong appears here. <a href="/console/try">Try a text</a> to see how Errand
      reads it.
    </EmptyNotice>
  );
}

/** The number of refusals since the list was read. They never push rows away under the pointer. */
function useNewRefusals(list: unknown): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    setCount(0);
    return listenToFeed(({ event }) => event === 'refusal' && setCount((before) => before + 1));
  }, [list]);
  return count;
}

/** The counts, with a choice of what they are by. */
function Summary() {
  const { get, set } = useUrlQuery();
  const [from, to, wanted] = [get('from'), get('to'), get('by')];
  const by = GROUPS.find(({ name }) => name === wanted) ?? GROUPS[0];
  const query = { by: by.name, from, to };
  const sums = useLoaded(`summary ${JSON.stringify(query)}`, (signal) =>
    read<ListPage<RefusalSummary>>('/v1/refusals/summary', query, signal),
  );
  const [isWhole, setWhole] = useState(false);
  return (
    <section class="stack" aria-labelledby="summary-title">
      <header class="summary-head">
        <h2 id="summary-title">What goes wrong</h2>
        <div class="segments" role="group" aria-label="Count by">
          {GROUPS.map(({ name, title }) => (
            <button
              key={name}
              type="button"
              class="segment"
              aria-pressed={name === by.name}
              onClick={() => set({ by: name, [KEYS_PART]: undefined })}
            >
              {title}
            </button>
          ))}
        </div>
      </header>
      {by.name === 'tool' && (
        <p class="faint">
          An unknown tool counts under the name that was called, and under the nearest tool that exists.
        </p>
      )}
      <ListView list={sums} empty={<EmptyNotice title="Nothing was refused in this time" />}>
        {(items) => (
          <SummaryTable
            items={items}
            by={by}
            isWhole={isWhole}
            onWhole={() => setWhole(true)}
            onFilter={(changes) => set({ ...changes, [PART]: undefined })}
          />
        )}
      </ListView>
    </section>
  );
}
