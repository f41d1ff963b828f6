const FIRST_MS = 250;
const LONGEST_MS = 8_000;

/**
 * How long to wait before the next try, in ms: twice as long after each failure, from 0.25 s to 8 s. A random part of up to a half keeps
 * many browsers from returning at the same moment.
 *
 * @param random from 0 to 1
 */
export function backoffMs(failures: number, random = Math.random()): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 16));
  return Math.max(FIRST_MS, longest * (1 - random / 2));
}
