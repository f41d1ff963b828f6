import { isObject } from '@errand/contracts';

/** The message of a thrown value. The value may have any type, and may even throw when it is read. */
export function messageOf(thrown: unknown): string {
  try {
    return isObject(thrown) && typeof thrown.message === 'string' ? thrown.message : String(thrown);
  } catch {
    return 'the thrown value cannot be shown';
  }
}

/** The stack of an error; empty for other values. */
export function stackOf(thrown: unknown): string {
  return thrown instanceof Error && typeof thrown.stack === 'string' ? thrown.stack : '';
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(thrown: unknown): string | undefined {
  return isObject(thrown) && typeof thrown.code === 'string' ? thrown.code : undefined;
}
