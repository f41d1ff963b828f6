import type { Retention } from '../redis/connect.js';

/** Longer than any run, pause or backlog. */
export const OPEN_SECONDS = 90 * 86_400;

/**
 * The expiry of the data of an open invocation, in seconds from its last write. It is a safeguard: `RetentionCleaner` removes the data together
 * with the job, when the retention age has passed since the end. A retry or a waiting job must find its data before that.
 */
export function openLife({ ageSeconds }: Retention): number {
  return OPEN_SECONDS + ageSeconds;
}
