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

/** The most items of a response, from a query: `most` at most, and not 0, because a reader would never reach the end. */
export function readLimit(text: string | undefined, fallback: number, most: number): number {
  const limit = wholeNumber('limit', text, fallback);
  if (limit === 0) throw new ProblemError('invalid_request', 'limit must be at least 1');
  return Math.min(limit, most);
}

/** @throws ProblemError if the text is not a JSON Pointer (RFC 6901); `''` is the whole value */
export function requirePointer(pointer: string): void {
  if (pointer === '' || pointer.startsWith('/')) return;
  throw new ProblemError(
    'invalid_request',
    `path must be a JSON Pointer such as /0/name, not '${pointer.slice(0, 80)}'`,
  );
}
