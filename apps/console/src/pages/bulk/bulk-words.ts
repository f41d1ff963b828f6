import type { BulkKind, BulkState } from '@errand/contracts';
import { formatCount } from '../../parts/format.js';
import type { StatusLook } from '../../statuses.js';

interface BulkWords {
  /** The title of its dialog. */
  title: string;
  /** The button that begins it. @param count how many invocations it touches */
  confirm: (count: string) => string;
  /** What becomes of the invocations. */
  effect: string;
  /** The invocations of an empty filter. */
  all: string;
  /** The word for the action in lists. */
  name: string;
}

export const BULK_WORDS: Readonly<Record<BulkKind, BulkWords>> = {
  cancel: {
    title: 'Cancel invocations',
    confirm: (count) => `Cancel ${count}`,
    all: 'Every open invocation of the tenant',
    effect: 'will be cancelled. What runs for them stops, and effects that have happened stay.',
    name: 'Cancel',
  },
  retry: {
    title: 'Retry invocations',
    confirm: (count) => `Retry ${count}`,
    all: 'Every failed or cancelled invocation of the tenant',
    effect: 'will be continued by a new invocation each. Finished steps keep their results.',
    name: 'Retry',
  },
  redeliver: {
    title: 'Send callbacks again',
    confirm: (count) => `Send ${count} again`,
    all: 'Every invocation with a dead callback',
    effect: 'with a dead callback: it will be sent again with the same webhook-id.',
    name: 'Send callbacks again',
  },
};

/** Every state of a bulk action. */
export const BULK_LOOKS: Readonly<Record<BulkState, StatusLook>> = {
  running: { word: 'Running', tone: 'running', shape: 'triangle' },
  done: { word: 'Done', tone: 'good', shape: 'check' },
  aborted: { word: 'Aborted', tone: 'idle', shape: 'slash' },
};

/** `1 invocation`, `1,250 invocations`. */
export function countOf(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'invocation' : 'invocations'}`;
}
