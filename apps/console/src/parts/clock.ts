import { signal } from '@preact/signals';

const TICK_MS = 1_000;

/** The current time (ms), once a second while the page is visible. Only what reads it is rendered again. */
export const now = signal(Date.now());

// Tests of parts render them to text, without a document.
if (typeof document !== 'undefined')
  setInterval(() => {
    if (document.visibilityState === 'visible') now.value = Date.now();
  }, TICK_MS);
