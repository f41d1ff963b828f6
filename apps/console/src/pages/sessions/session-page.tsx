import { isNotFound } from '../../api/problems.js';
import { read, type Query } from '../../api/call-api.js';
import { features } from '../../api/session.js';
import { usePagedList, type PagedList } from '../../api/use-paged-list.js';
import { useLoaded } from '../../api/use-loaded.js';
import type { PageProps } from '../../lazy-page.js';
import { stateOfList, type ListPage } from '../../parts/list-view.js';
import { EmptyNotice, ErrorNotice, LoadingRows, PartialNotice } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { markedString } from '../../text/mark-text.js';
import { entriesOf, type AuthoredMessage, type SessionInvocation, type SessionRefusal } from './session-entries.js';
import { SessionEntryCard } from './session-entry-card.js';
import './session.css';

const FIELDS = 'id,status,createdAt,agent,responseText,steps,error,observation,parent';
const AT_ONCE = 20;
const MESSAGES = 200;

/** A session in order: messages, submissions with their calls and observations, and the refusals between them. */
export default function SessionPage({ id }: PageProps) {
  const invocations = usePagedList<SessionInvocation>('/v1/invocations', {
    session: id,
    fields: FIELDS,
    limit: AT_ONCE,
  });
  const refusals = useOptionalList<SessionRefusal>('/v1/refusals', { session: id, limit: AT_ONCE });
  const messages = useOptionalList<AuthoredMessage>(
    features().includes('turns') ? `/v1/sessions/${encodeURIComponent(id)}/messages` : undefined,
    { limit: MESSAGES },
  );
  const isLoading = refusals === undefined || messages === undefined;
  const entries = entriesOf({
    messages: messages?.items ?? [],
    refusals: refusals?.items ?? [],
    invocations: invocations.data?.items ?? [],
  });
  const isEmpty = invocations.data !== undefined && !isLoading && entries.length === 0;
  const listState = stateOfList(invocations);
  const state =
    listState === 'error' ? 'error' : isLoading || listState === 'loading' ? 'loading' : isEmpty ? 'empty' : 'ready';
  return (
    <Page
      page="session"
      title={`Session ${markedString(id.slice(0, 120))}`}
      state={state}
      subtitle="What the model wrote, the calls, what it got back, and what was refused in between. The newest is last."
    >
      {state === 'loading' && <LoadingRows />}
      {invocations.error !== undefined && !invocations.isLoading && (
        <ErrorNotice error={invocations.error} onRetry={invocations.reload} />
      )}
      <PartialNotice isPartial={invocations.data?.partial} />
      <Earlier list={invocations} />
      {(messages?.nextCursor ?? null) !== null && (
        <p class="notice-line">Only the first {MESSAGES} messages are shown here.</p>
      )}
      <div data-testid="session" data-session={id}>
        {state === 'empty' ? (
          <EmptyNotice title="Nothing is stored of this session">
            Nothing was submitted under this name, or retention has removed it. Names must match in every letter.
          </EmptyNotice>
        ) : (
          <ol class="session">
            {entries.map((entry) => (
              <SessionEntryCard key={`${entry.kind} ${entry.key}`} entry={entry} />
            ))}
          </ol>
        )}
      </div>
    </Page>
  );
}

function Earlier({ list }: { list: PagedList<SessionInvocation> }) {
  if (!list.loadMore) return null;
  return (
    <p class="session-earlier">
      <button type="button" class="button" data-testid="older" disabled={list.isLoadingMore} onClick={list.loadMore}>
        Show earlier submissions
      </button>
    </p>
  );
}

/** A list that a server or a session may lack: it then has no items. Undefined while it is read. */
function useOptionalList<T>(path: string | undefined, query: Query): ListPage<T> | undefined {
  const none: ListPage<T> = { items: [], nextCursor: null };
  const loaded = useLoaded(`${path ?? ''} ${JSON.stringify(query)}`, async (signal): Promise<ListPage<T>> => {
    if (path === undefined) return none;
    try {
      return await read<ListPage<T>>(path, query, signal);
    } catch (error) {
      if (isNotFound(error)) return none;
      throw error;
    }
  });
  return loaded.data ?? (loaded.isLoading ? undefined : none);
}
