import { useEffect, useRef } from 'preact/hooks';
import { isStale } from '../live/live-state.js';

/** Reads again every `everyMs`, while the page is visible and up to date: for what the feed does not report. */
export function usePolling(reload: () => void, everyMs: number): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && !isStale.value) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
