import { useEffect, useRef } from 'preact/hooks';

const EVERY_MS = 2_000;

/** Reads again what a page shows of a topic, while the page is visible. */
export function useRefresh(topic: string, reload: () => void): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), EVERY_MS);
    return () => clearInterval(timer);
  }, [topic]);
}
