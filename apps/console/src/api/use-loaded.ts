import { useEffect, useRef, useState } from 'preact/hooks';
import { backoffMs } from '../live/backoff.js';
import { liveState } from '../live/live-state.js';
import { ServerAway } from './problems.js';

/** What a page shows of something that it reads from the API. After a failed later read, `data` stays and `error` is set. */
export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  isLoading: boolean;
  /** Reads again. */
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
 * Reads something from the API: at first, when `key` changes, and again by itself while the API is away.
 *
 * @param key what is read; the data of another key is never shown
 */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [held, setHeld] = useState<Held<T>>({ key, isLoading: true });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  // What the feed reported while a read was on its way may be newer than the answer of that read.
  const meanwhile = useRef<((data: T) => T)[] | undefined>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    meanwhile.current = [];
    setHeld((before) => (before.key === key ? { ...before, isLoading: true } : { key, isLoading: true }));
    const accept = (data: T) => {
      const newest = (meanwhile.current ?? []).reduce((changed, change) => change(changed), data);
      meanwhile.current = undefined;
      setHeld({ key, data: newest, isLoading: false });
    };
    latest.current(ended.signal).then(
      (data) => ended.signal.aborted || accept(data),
      (error: unknown) => {
        if (ended.signal.aborted) return;
        meanwhile.current = undefined;
        setHeld((before) => ({ ...ofKey(before, key), error, isLoading: false }));
      },
    );
    return () => ended.abort();
  }, [key, round]);
  const current: Held<T> = held.key === key ? held : { key, isLoading: true };
  const reload = () => setRound((count) => count + 1);
  useReturn(current.error !== undefined, reload);
  useRetry(current.error, reload);
  return {
    data: current.data,
    error: current.error,
    isLoading: current.isLoading,
    reload,
    replace: (change) => {
      meanwhile.current?.push(change);
      setHeld((before) => (before.data === undefined ? before : { ...before, data: change(before.data) }));
    },
  };
}

function ofKey<T>(held: Held<T>, key: string): Held<T> {
  return held.key === key ? held : { key, isLoading: false };
}

/** Reads again what had failed, when the API is back. */
function useReturn(hasFailed: boolean, reload: () => void): void {
  const isLive = liveState.value === 'live';
  useEffect(() => {
    if (isLive && hasFailed) reload();
  }, [isLive]);
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
