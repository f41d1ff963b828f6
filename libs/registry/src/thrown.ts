import { isObject } from '@errand/contracts';

/** The message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return isObject(thrown) && typeof thrown.message === 'string' ? thrown.message : String(thrown);
}

/** The code of a system error, as `ENOENT`. */
export function codeOf(thrown: unknown): string | undefined {
  return isObject(thrown) && typeof thrown.code === 'string' ? thrown.code : undefined;
}
