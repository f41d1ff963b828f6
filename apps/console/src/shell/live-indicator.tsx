import { formatTime } from '../parts/format.js';
import { liveState, lostAt, type LiveState } from '../live/live-state.js';

const WORDS: Readonly<Record<LiveState, string>> = {
  live: 'Live',
  reconnecting: 'Reconnecting',
  offline: 'Offline',
  paused: 'Paused',
};

/** Whether the page hears of changes. */
export function LiveIndicator() {
  const state = liveState.value;
  return (
    <span class={`live live-${state}`} role="status" data-testid="live-state" data-state={state}>
      <span class="live-dot" aria-hidden="true" />
      {WORDS[state]}
    </span>
  );
}

/** Says since when the page has no connection. */
export function LostBar() {
  const since = lostAt.value;
  if (since === undefined || (liveState.value !== 'reconnecting' && liveState.value !== 'offline')) return null;
  return (
    <p class="lost-bar" role="status">
      No connection to the server since {formatTime(new Date(since))}. The page shows what was known then, and catches
      up by itself.
    </p>
  );
}
