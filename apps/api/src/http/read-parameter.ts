import { ProblemError } from './problem-error.js';

/** Seconds to wait, from a query or a `Prefer` header: 0 where none is asked for, more than `cap` counts as `cap`. */
export function waitSeconds(text: string | undefined, cap: number): number {
  if (text === undefined) return 0;
  if (!/^\d{1,6}(\.\d+)?$/.test(text))
    throw new ProblemError(
      'invalid_request',
      `wait must be a number of seconds, such as wait=20, not '${text.slice(0, 40)}'`,
    );
  return Math.min(Number(text), cap);
}

/** A whole number that is not negative, from a query. */
export function wholeNumber(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^\d{1,12}$/.test(text))
    throw new ProblemError(
      'invalid_request',
      `${name} must be a whole number of 0 or more, not '${text.slice(0, 40)}'`,
    );
  return Number(text);
}
