/** A failure that a person can fix: its message says what, where and how, and is shown without a stack. */
export class KnownError extends Error {
  readonly hint = true;
}
