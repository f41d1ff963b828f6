import type { EffectEntry, InvocationRow } from '@errand/contracts';
import { usePagedList } from '../../api/use-paged-list.js';
import { useReloadOn } from '../../live/use-reload-on.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import type { FeedEvent } from '../../live/follow-feed.js';
import { ListView, stateOfList } from '../../parts/list-view.js';
import { ListFilters, TextFilter } from '../../parts/filter-fields.js';
import { InParts, PART } from '../../parts/in-parts.js';
import { EmptyNotice } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { EffectCard } from './effect-card.js';
import './effects.css';

/** How many effects are read and shown together. */
const AT_ONCE = 25;
/** However many invocations end, each page of the list is read at most once in this time. */
const MS_A_PAGE = 3_000;

/** The ledger of tools with `effects: once`. */
export default function EffectsPage() {
  const { get } = useUrlQuery();
  const [session, toolId] = [get('session'), get('toolId')];
  const list = usePagedList<EffectEntry>('/v1/effects', { session, toolId, limit: AT_ONCE });
  useReloadOn((event) => mayHaveEffect(event, session), list.reload, MS_A_PAGE * list.pages);
  return (
    <Page
      page="effects"
      title="Effects"
      state={stateOfList(list)}
      subtitle="What tools with effects “once” have done in each session, and the equal calls that did not run again."
    >
      <ListFilters names={['session', 'toolId']}>
        <TextFilter name="session" label="Session" testId="filter-session" hint="The whole name" />
        <TextFilter name="toolId" label="Tool" testId="filter-tool" hint="shop:sell" />
      </ListFilters>
      <ListView list={list} empty={<NoEffects isFiltered={session !== '' || toolId !== ''} />}>
        {(all) => (
          <InParts items={all} at={PART} size={AT_ONCE} label="effects" list={list}>
            {(items) => (
              <ul class="stack effect-list">
                {items.map((entry) => (
                  <EffectCard key={`${entry.invocationId} ${entry.step}`} entry={entry} />
                ))}
              </ul>
            )}
          </InParts>
        )}
      </ListView>
    </Page>
  );
}

/** Whether an event reports an invocation of a session, or of the chosen one. The ledger has no others. */
function mayHaveEffect({ event, data }: FeedEvent, chosen: string): boolean {
  if (event !== 'invocation') return false;
  const { session } = data as InvocationRow;
  return session !== null && (chosen === '' || session === chosen);
}

function NoEffects({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyNotice title="No effect matches these filters">
        The names of a session and a tool must be whole. Clear one of them to see more.
      </EmptyNotice>
    );
  return (
    <EmptyNotice title="No tool has made an effect in a session yet">
      A tool that declares <code>effects: once</code> runs once for each session and set of arguments. Each such run is
      listed here.
    </EmptyNotice>
  );
}
