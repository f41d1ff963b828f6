import { useEffect, useRef } from 'preact/hooks';

/** A function that calls `action` once for all its calls within `ms`, at their end. */
export function useAtMost(ms: number, action: () => void): () => void {
  const latest = useRef(action);
  latest.current = action;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, ms);
  };
}
