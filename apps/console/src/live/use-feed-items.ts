import type { FeedData } from '@errand/contracts';
import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { listenToFeed } from './follow-feed.js';
import { openedAt } from './live-state.js';
import { useAtMost } from './use-at-most.js';

/** After these events the page may have missed something. */
const GAPS: ReadonlySet<string> = new Set(['dropped', 'reset']);
const TOGETHER_MS = 500;
/** The API compares items once a second. A state that a page reads between two comparisons may have gone before the next one, without an event. */
const COMPARED_MS = 3_000;
/** A page that has read its list so long after the stream was opened has missed nothing. */
const SETTLED_MS = 1_000;

/**
 * Gives each item that the feed sends to `onItem`. Calls `reload` where the feed may have missed a change: after a gap, and after the stream was
 * opened, because the page may have read its list before.
 */
export function useFeedItems<K extends 'queue' | 'process'>(
  name: K,
  onItem: (item: FeedData[K]) => void,
  reload: () => void,
): void {
  const latest = useRef(onItem);
  latest.current = onItem;
  const reloadLater = useAtMost(COMPARED_MS, reload);
  const reloadNow = useAtMost(TOGETHER_MS, reload);
  useEffect(() => {
    const reloadSoon = () => {
      reloadNow();
      reloadLater();
    };
    const begun = Date.now();
    const stopListening = listenToFeed(({ event, data }) => {
      if (event === name) latest.current(data as FeedData[K]);
      else if (GAPS.has(event)) reloadSoon();
    });
    const stopWatching = effect(() => {
      if (openedAt.value !== undefined && openedAt.value > begun - SETTLED_MS) reloadSoon();
    });
    return () => {
      stopListening();
      stopWatching();
    };
  }, [name]);
}

/** The list with an item in place of the one with the same key, or behind it. */
export function withItem<T>(items: readonly T[], item: T, keyOf: (item: T) => string): T[] {
  const at = items.findIndex((each) => keyOf(each) === keyOf(item));
  return at < 0 ? [...items, item] : items.with(at, item);
}
