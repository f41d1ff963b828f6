import { computed, signal } from '@preact/signals';

/** Whether the page hears of changes. `paused` by the reader; `offline` when the browser has no network. */
export type LiveState = 'live' | 'reconnecting' | 'offline' | 'paused';

export const liveState = signal<LiveState>('live');
/** When the connection was lost (ms). Undefined while it lives. */
export const lostAt = signal<number | undefined>(undefined);

/** What the page shows may be out of date, so that nothing may be changed by it. */
export const isStale = computed(() => liveState.value === 'reconnecting' || liveState.value === 'offline');
