import { useEffect, useRef } from 'preact/hooks';
import { isStale } from '../live/live-state.js';

/** Calls `reload` again and again while something goes on that the feed does not report, and the page is visible. */
export function usePolling(isGoingOn: boolean, reload: () => void, everyMs = 2_000): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    if (!isGoingOn) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && !isStale.value) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [isGoingOn, everyMs]);
}
