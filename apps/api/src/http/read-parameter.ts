import { ProblemError } from './problem-error.js';

/** The longest time that a request may wait. */
export const MAX_WAIT_SECONDS = 60;

/** The `wait` of a `Prefer` header (RFC 7240). Names are case-insensitive, and values may be quoted. */
export function preferredWait(prefer: string | undefined): string | undefined {
  const [, quoted, plain] = /(?:^|[,;\s])wait\s*=\s*(?:"([^"]*)"|([^,;\s]*))/i.exec(prefer ?? '') ?? [];
  return quoted ?? plain;
}

/** Seconds to wait, from a query or a `Prefer` header: 0 without one, and `cap` at most. */
export function waitSeconds(text: string | undefined, cap: number): number {
  if (text === undefined) return 0;
  if (!/^\d+(\.\d+)?$/.test(text))
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

/** The most characters of a result in an Observation, with the bounds of `options.maxResultChars`. */
export function readBudget(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const chars = wholeNumber('maxResultChars', text, 0);
  if (chars >= 200 && chars <= 10_000_000) return chars;
  throw new ProblemError('invalid_request', `maxResultChars must be from 200 to 10000000, not ${chars}`);
}

/** The most items of a response, from a query: `most` at most, and not 0, because a reader would never reach the end. */
export function readLimit(text: string | undefined, fallback: number, most: number): number {
  const limit = wholeNumber('limit', text, fallback);
  if (limit === 0) throw new ProblemError('invalid_request', 'limit must be at least 1');
  return Math.min(limit, most);
}

const MAX_LIMIT = 1_000;

/** The number of items of a page, from a query. @throws ProblemError unless it is from 1 to 1,000 */
export function limitOf(text: string | undefined, fallback: number): number {
  const limit = wholeNumber('limit', text, fallback);
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new ProblemError('invalid_request', `limit must be from 1 to ${MAX_LIMIT}, not ${limit}`);
}

/** Reads ISO 8601 with a time zone, or a day in UTC, in ms. Without a zone, the time would depend on the machine. */
export function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const day = text.slice(0, 10);
  const ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : NaN;
  // `Date` reads the 30th of February as the 2nd of March.
  if (ms >= 0 && new Date(day).toISOString().startsWith(day)) return ms;
  const wrong = `${name} must be a time such as 2026-11-21T09:30:00Z, or a day, not '${text.slice(0, 40)}'`;
  throw new ProblemError('invalid_request', wrong);
}

/** @throws ProblemError if the text is not a JSON Pointer (RFC 6901); `''` is the whole value */
export function requirePointer(pointer: string): void {
  if (pointer === '' || pointer.startsWith('/')) return;
  throw new ProblemError(
    'invalid_request',
    `path must be a JSON Pointer such as /0/name, not '${pointer.slice(0, 80)}'`,
  );
}
