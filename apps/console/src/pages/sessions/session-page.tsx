import { isNotFound } from '../../api/problems.js';
import { usePagedList, type PagedList } from '../../api/use-paged-list.js';
import type { PageProps } from '../../lazy-page.js';
import { InParts, PART } from '../../parts/in-parts.js';
import { NotFoundNotice } from '../../parts/not-found-notice.js';
import { ErrorNotice, LoadingRows, PartialNotice } from '../../parts/notices.js';
import { Page, type PageState } from '../../parts/page.js';
import { markedString } from '../../text/mark-text.js';
import {
  completeSince,
  entriesOf,
  type AuthoredMessage,
  type SessionEntry,
  type SessionInvocation,
  type SessionRefusal,
} from './session-entries.js';
import { SessionEntryCard } from './session-entry-card.js';
import { useSessionChanges } from './use-session-changes.js';
import './session.css';

const FIELDS = 'id,status,createdAt,agent,responseText,steps,error,observation,parent';
const AT_ONCE = 20;
const MESSAGES = 100;
/** So many entries are in the page at a time. */
const SHOWN_ENTRIES = 20;

/** What the page needs of each of its lists, whatever their items are. */
type AnyList = Pick<PagedList<unknown>, 'data' | 'error' | 'isLoading' | 'reload' | 'loadMore' | 'isLoadingMore'>;

/** The lists of a session, which follow its changes, and what they have in common: the entries in order. */
function useSession(id: string) {
  const submitted = { session: id, limit: AT_ONCE };
  const invocations = usePagedList<SessionInvocation>('/v1/invocations', { ...submitted, fields: FIELDS });
  const refusals = usePagedList<SessionRefusal>('/v1/refusals', submitted);
  const messages = usePagedList<AuthoredMessage>(`/v1/sessions/${encodeURIComponent(id)}/messages`, {
    limit: MESSAGES,
  });
  useSessionChanges(id, [invocations, refusals, messages]);
  const since = completeSince([
    { items: refusals.data?.items ?? [], hasOlder: refusals.loadMore !== undefined },
    {
      items: (invocations.data?.items ?? []).map(({ createdAt }) => ({ at: createdAt })),
      hasOlder: invocations.loadMore !== undefined,
    },
  ]);
  const entries = entriesOf({
    since,
    messages: messages.data?.items ?? [],
    refusals: refusals.data?.items ?? [],
    invocations: invocations.data?.items ?? [],
  });
  return { invocations, refusals, messages, entries };
}

/** A session in order: messages, submissions with their calls and observations, and the refusals between them. */
export default function SessionPage({ id }: PageProps) {
  const { invocations, refusals, messages, entries } = useSession(id);
  const lists: readonly AnyList[] = [invocations, refusals, messages];
  const state = stateOf(lists, entries.length);
  const failed = lists.filter(hasFailed);
  const isUnknown = state === 'error' && failed.length === 0;
  return (
    <Page
      page="session"
      title={`Session ${markedString(id.slice(0, 120))}`}
      state={state}
      subtitle="What the model wrote, the calls, what it got back, and what was refused in between. The newest is last."
    >
      {state === 'loading' && <LoadingRows />}
      {failed[0] && <ErrorNotice error={failed[0].error} onRetry={() => failed.forEach((list) => list.reload())} />}
      <PartialNotice answer={invocations.data} />
      <Older lists={[invocations, refusals]} />
      <div data-testid="session" data-session={id}>
        {isUnknown ? <NotFoundNotice what={`Nothing is stored of the session ${id}`} /> : <Entries entries={entries} />}
      </div>
      {messages.loadMore && (
        <button type="button" class="button" disabled={messages.isLoadingMore} onClick={messages.loadMore}>
          Show later messages
        </button>
      )}
    </Page>
  );
}

function Entries({ entries }: { entries: readonly SessionEntry[] }) {
  return (
    <InParts items={entries.toReversed()} at={PART} size={SHOWN_ENTRIES} label="entries, the newest first">
      {(part) => (
        <ol class="session">
          {part.toReversed().map((entry) => (
            <SessionEntryCard key={`${entry.kind} ${entry.key}`} entry={entry} />
          ))}
        </ol>
      )}
    </InParts>
  );
}

/** Submissions without an agent have no conversation. */
function hasFailed({ error, isLoading }: AnyList): boolean {
  return error !== undefined && !isLoading && !isNotFound(error);
}

/** A list that does not exist is read again after changes, and the page stays as it is meanwhile. */
function isFirstRead({ data, error, isLoading }: AnyList): boolean {
  return data === undefined && isLoading && !isNotFound(error);
}

/** A session without any entry is unknown. */
function stateOf(lists: readonly AnyList[], count: number): PageState {
  if (count > 0) return 'ready';
  return lists.some(isFirstRead) ? 'loading' : 'error';
}

/** Both lists are newest first. */
function Older({ lists }: { lists: readonly AnyList[] }) {
  const more = lists.flatMap(({ loadMore }) => loadMore ?? []);
  if (more.length === 0) return null;
  return (
    <p class="session-earlier">
      <button
        type="button"
        class="button"
        data-testid="older"
        disabled={lists.some(({ isLoadingMore }) => isLoadingMore)}
        onClick={() => more.forEach((load) => load())}
      >
        Show earlier submissions
      </button>
    </p>
  );
}
