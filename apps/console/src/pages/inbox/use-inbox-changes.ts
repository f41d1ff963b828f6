import { useEffect, useRef } from 'preact/hooks';
import { listenToFeed, RETURNED } from '../../live/feed.js';

/** Changes that come together are read together (ms). */
const GATHER_MS = 200;
const NEWS: readonly string[] = ['inbox', 'reset', 'dropped', RETURNED];

/** Calls `reload` when the inbox has changed. */
export function useInboxChanges(reload: () => void): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = listenToFeed(({ event }) => {
      if (!NEWS.includes(event)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current();
      }, GATHER_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
}
