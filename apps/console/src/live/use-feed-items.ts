import type { FeedData } from '@errand/contracts';
import { useEffect, useRef } from 'preact/hooks';
import { listenToFeed, type FeedEvent } from './follow-feed.js';
import { useReloadOn } from './use-reload-on.js';

const TOGETHER_MS = 500;
/** The API compares items once a second. A state that a page reads between two comparisons may have gone before the next one, without an event. */
const COMPARED_MS = 3_000;

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
  useReloadOn(isReset, reload, TOGETHER_MS);
  useReloadOn(isReset, reload, COMPARED_MS);
  useEffect(
    () =>
      listenToFeed(({ event, data }) => {
        if (event === name) latest.current(data as FeedData[K]);
      }),
    [name],
  );
}

const isReset = ({ event }: FeedEvent) => event === 'reset';

/** The list with an item in place of the one with the same key, or behind it. */
export function withItem<T>(items: readonly T[], item: T, keyOf: (item: T) => string): T[] {
  const at = items.findIndex((each) => keyOf(each) === keyOf(item));
  return at < 0 ? [...items, item] : items.with(at, item);
}
