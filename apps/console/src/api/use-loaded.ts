import { useEffect, useRef, useState } from 'preact/hooks';
import { backoffMs } from '../live/backoff.js';
import { listenToFeed, RETURNED } from '../live/follow-feed.js';
import { ServerAway } from './problems.js';
import { RepeatedRead } from './repeated-read.js';

/** After these events of the feed, anything may have changed that a page has read. */
const GAPS: ReadonlySet<string> = new Set([RETURNED, 'reset']);

/** What a page shows of something that it reads from the API. After a failed later read, `data` stays and `error` is set. */
export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  isLoading: boolean;
  /** Reads again. While a read is under way, one more read follows it, however often this is called. */
  reload: () => void;
  /** Replaces the data without reading, after a change that is known already. */
  replace: (change: (data: T) => T) => void;
}

interface Held<T> {
  key: string;
  data?: T;
  error?: unknown;
  isLoading: boolean;
}

/**
 * Reads something from the API: at first, when `key` changes, again by itself while the API is away, and once when the page may have missed
 * changes.
 *
 * @param key what is read; the data of another key is never shown
 */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [held, setHeld] = useState<Held<T>>({ key, isLoading: true });
  const latest = useRef(load);
  latest.current = load;
  const reads = useRef<RepeatedRead<T> | undefined>(undefined);
  useEffect(() => {
    const own = new RepeatedRead<T>((signal) => latest.current(signal), {
      onBegin: () => setHeld((before) => ({ ...ofKey(before, key), isLoading: true })),
      onData: (data) => setHeld({ key, data, isLoading: false }),
      onError: (error) => setHeld((before) => ({ ...ofKey(before, key), error, isLoading: false })),
    });
    reads.current = own;
    own.reload();
    return () => own.close();
  }, [key]);
  // It listens before the page does. A read that the page begins at the same event then counts as the catch-up.
  useEffect(() => listenToFeed(({ event }) => GAPS.has(event) && reads.current?.catchUp()), []);
  const current: Held<T> = held.key === key ? held : { key, isLoading: true };
  const reload = () => reads.current?.reload();
  useRetry(current.error, reload);
  return {
    data: current.data,
    error: current.error,
    isLoading: current.isLoading,
    reload,
    replace: (change) => {
      reads.current?.noteChange(change);
      setHeld((before) => (before.data === undefined ? before : { ...before, data: change(before.data) }));
    },
  };
}

function ofKey<T>(held: Held<T>, key: string): Held<T> {
  return held.key === key ? held : { key, isLoading: false };
}

/** Reads again, later each time, while the API does not answer. A loss that is too short to be shown ends without an event. */
function useRetry(error: unknown, reload: () => void): void {
  const failures = useRef(0);
  useEffect(() => {
    if (error === undefined) failures.current = 0;
    if (!(error instanceof ServerAway)) return undefined;
    const timer = setTimeout(reload, backoffMs(failures.current++));
    return () => clearTimeout(timer);
  }, [error]);
}
