import { useEffect, useRef } from 'preact/hooks';
import { liveState } from '../live/live-state.js';

/** Reads again every `everyMs`, while the page is visible and the API answers: for what the feed does not report. */
export function useRefresh(reload: () => void, everyMs: number): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && liveState.value === 'live') latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
