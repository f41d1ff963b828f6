import type { Status } from '@errand/contracts';

const FINAL: readonly Status[] = ['succeeded', 'failed', 'cancelled'];

/** Whether an invocation with this status has ended. */
export function isFinal(status: Status): boolean {
  return FINAL.includes(status);
}
