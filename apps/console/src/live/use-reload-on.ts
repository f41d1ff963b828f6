import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { listenToFeed, type FeedEvent } from './follow-feed.js';
import { openedAt } from './live-state.js';
import { useAtMost } from './use-at-most.js';

/** A page that has read so long after the stream was opened has missed nothing. */
const SETTLED_MS = 1_000;

/**
 * Calls `reload` once for all changes within `withinMs`: those that the feed reports, and those that it may have missed because it has left events
 * out or was opened. After an outage, what is shown reads itself again.
 */
export function useReloadOn(isChange: (event: FeedEvent) => boolean, reload: () => void, withinMs: number): void {
  const latest = useRef(isChange);
  latest.current = isChange;
  const reloadSoon = useAtMost(withinMs, reload);
  useEffect(() => {
    const begun = Date.now();
    const stopListening = listenToFeed((event) => {
      if (event.event === 'dropped' || latest.current(event)) reloadSoon();
    });
    const stopWatching = effect(() => {
      if (openedAt.value !== undefined && openedAt.value > begun - SETTLED_MS) reloadSoon();
    });
    return () => {
      stopListening();
      stopWatching();
    };
  }, [withinMs]);
}
