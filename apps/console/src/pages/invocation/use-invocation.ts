import type { Invocation, Timeline } from '@errand/contracts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { read } from '../../api/call-api.js';
import { throttled } from '../../api/throttled.js';
import { usePolling } from '../../api/use-polling.js';
import { useLoaded, type Loaded } from '../../api/use-loaded.js';
import { followInvocation, listenToFeed, RETURNED } from '../../live/follow-feed.js';
import { isFinal } from '../../statuses.js';

export interface Followed {
  invocation: Loaded<Invocation>;
  timeline: Loaded<Timeline>;
  /** Grows when the invocation has logged something. */
  logRound: number;
}

/** At most so often, in ms, the page reads the invocation again while it runs. */
const READ_EVERY_MS = 400;
const readEvery = () => READ_EVERY_MS;
const FIRST_CHECK_MS = 1_000;
/** No event comes when the lock of a dead process lapses. */
const POLL_MS = 10_000;

/** After these events of the feed, the page may have missed others. */
const MAY_LACK_EVENTS: ReadonlySet<string> = new Set([RETURNED, 'dropped', 'reset']);

/** The path of an invocation in the API. */
export function pathOf(id: string): string {
  return `/v1/invocations/${encodeURIComponent(id)}`;
}

/** An invocation and its timeline. While it runs, its events say when to read them again. */
export function useInvocation(id: string): Followed {
  const path = pathOf(id);
  const invocation = useLoaded(path, (signal) => read<Invocation>(path, {}, signal));
  const timeline = useLoaded(`${path}/timeline`, (signal) => read<Timeline>(`${path}/timeline`, {}, signal));
  const [logRound, setLogRound] = useState(0);
  const status = invocation.data?.status;
  const isOpen = status !== undefined && !isFinal(status);
  const readAgain = useRef(() => {});
  readAgain.current = () => {
    invocation.reload();
    timeline.reload();
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    const changed = throttled(() => readAgain.current(), readEvery);
    const logged = throttled(() => setLogRound((round) => round + 1), readEvery);
    const stop = followInvocation(id, (event) => (event === 'log' ? logged.call() : changed.call()));
    const stopListening = listenToFeed(({ event }) => {
      if (!MAY_LACK_EVENTS.has(event)) return;
      changed.call();
      logged.call();
    });
    // A change between the first read and the beginning of the stream is in neither.
    const timer = setTimeout(changed.call, FIRST_CHECK_MS);
    return () => {
      clearTimeout(timer);
      stop();
      stopListening();
      for (const each of [changed, logged]) each.cancel();
    };
  }, [id, isOpen]);
  usePolling(isOpen, () => readAgain.current(), POLL_MS);
  return { invocation, timeline, logRound };
}
