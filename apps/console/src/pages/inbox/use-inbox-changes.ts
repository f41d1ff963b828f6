import { useEffect, useRef } from 'preact/hooks';

/** How often a page that is looked at reads the inbox, until the feed reports its changes. */
const READ_MS = 10_000;

/** Calls `reload` when the inbox may have changed: at intervals while the page is visible, and when it becomes visible. */
export function useInboxChanges(reload: () => void): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') latest.current();
    };
    const timer = setInterval(look, READ_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
}
