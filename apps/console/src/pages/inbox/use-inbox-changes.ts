import { useEffect, useRef } from 'preact/hooks';
import { listenToFeed, RETURNED } from '../../live/follow-feed.js';

const TOLD: ReadonlySet<string> = new Set(['inbox', 'reset', 'dropped', RETURNED]);
/** Changes that come together are read once. */
const TOGETHER_MS = 250;

/** Calls `reload` when the feed reports that a wait has opened or closed, or that changes may be unknown. */
export function useInboxChanges(reload: () => void): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = listenToFeed(({ event }) => {
      if (!TOLD.has(event)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current();
      }, TOGETHER_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
}
