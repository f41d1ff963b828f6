import { useEffect, useRef } from 'preact/hooks';
import { isNotFound } from '../../api/problems.js';
import { throttled } from '../../api/throttled.js';
import type { PagedList } from '../../api/use-paged-list.js';
import { listenToFeed } from '../../live/follow-feed.js';
import { connectionKnown, liveState, openedAt } from '../../live/live-state.js';
import { concernsSession, hasAgent } from './session-changes.js';

/** However fast a session changes, its page sends no more than one request in this time on average. */
const MS_A_REQUEST = 1_000;

type ShownList = Pick<PagedList<unknown>, 'error' | 'pages' | 'reload'>;

/** Reads the lists of a session again when the feed reports a change of it, or has left changes out. After an outage, the lists do so themselves. */
export function useSessionChanges(session: string, lists: readonly ShownList[]): void {
  const latest = useRef(lists);
  latest.current = lists;
  useEffect(() => {
    let isTalk = false;
    const reload = () => {
      // A session without an agent has no conversation, so that each read of its messages would fail.
      for (const list of latest.current) if (isTalk || !isNotFound(list.error)) list.reload();
    };
    const requests = () => latest.current.reduce((sum, { pages }) => sum + pages, 0);
    const changed = throttled(reload, () => MS_A_REQUEST * requests());
    const stop = listenToFeed((event) => {
      if (!concernsSession(event, session)) return;
      isTalk ||= hasAgent(event);
      changed.call();
    });
    // The lists are read already. A change before the stream opens is in neither.
    const isOpening = openedAt.value === undefined && liveState.value === 'live';
    if (isOpening) void connectionKnown().then(() => changed.call());
    return () => {
      stop();
      changed.cancel();
    };
  }, [session]);
}
