import { isObject } from '@errand/contracts';

/** The message of whatever was thrown: that may be anything, even something that throws when it is looked at. */
export function messageOf(thrown: unknown): string {
  try {
    return isObject(thrown) && typeof thrown.message === 'string' ? thrown.message : String(thrown);
  } catch {
    return 'what was thrown cannot be shown';
  }
}

/** The stack of an error; for anything else, nothing. */
export function stackOf(thrown: unknown): string {
  return thrown instanceof Error && typeof thrown.stack === 'string' ? thrown.stack : '';
}

/** The code of a system error, as `ENOENT`. */
export function codeOf(thrown: unknown): string | undefined {
  return isObject(thrown) && typeof thrown.code === 'string' ? thrown.code : undefined;
}
