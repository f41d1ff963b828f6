import { computed, effect, signal } from '@preact/signals';

/** Whether the page hears of changes. `paused`: the caller may not hear them; `offline`: the browser has no network. */
export type LiveState = 'live' | 'reconnecting' | 'offline' | 'paused';

/** A loss is shown when it lasts longer than this. */
const SHOWN_AFTER_MS = 3_000;

export const liveState = signal<LiveState>('live');
/** When the connection was lost (ms). Undefined while it lives. */
export const lostAt = signal<number | undefined>(undefined);

/** When the stream was opened last (ms). Undefined before, and while it is lost. */
export const openedAt = signal<number | undefined>(undefined);

/** What the page shows may be out of date, so that nothing may be changed by it. */
export const isStale = computed(() => liveState.value === 'reconnecting' || liveState.value === 'offline');

let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Notes that the connection is open, or was lost at `since` (ms). A loss is shown after 3 s.
 *
 * @returns whether a loss that was shown is over
 */
export function setConnection(isOpen: boolean, since: number): boolean {
  clearTimeout(timer);
  openedAt.value = isOpen ? since : undefined;
  if (!isOpen) {
    const left = since + SHOWN_AFTER_MS - Date.now();
    timer = setTimeout(() => showLoss(since), Math.max(0, left));
    return false;
  }
  const wasShown = isStale.value;
  lostAt.value = undefined;
  liveState.value = 'live';
  return wasShown;
}

/** Resolves when the page hears of changes, or knows that it does not hear of them. What is read after that misses no change unnoticed. */
export function connectionKnown(): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (openedAt.value === undefined && liveState.value === 'live') return;
      resolve();
      queueMicrotask(() => stop());
    });
  });
}

/** Nobody listens any more: there is no connection to lose. */
export function forgetConnection(): void {
  clearTimeout(timer);
  openedAt.value = undefined;
  lostAt.value = undefined;
  liveState.value = 'live';
}

/** The caller may not hear of changes. */
export function setPaused(): void {
  liveState.value = 'paused';
}

function showLoss(since: number): void {
  lostAt.value = since;
  liveState.value = navigator.onLine ? 'reconnecting' : 'offline';
}

/** A shown loss names its reason anew when the network of the browser goes or comes. */
function nameReason(): void {
  if (isStale.value) liveState.value = navigator.onLine ? 'reconnecting' : 'offline';
}

for (const change of ['online', 'offline']) globalThis.addEventListener?.(change, nameReason);
