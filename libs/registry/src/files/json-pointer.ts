import { isObject, own } from '@errand/contracts';

/** Escapes a key for a JSON Pointer (RFC 6901). */
export function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The keys of a JSON Pointer. */
export function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A JSON Pointer in the notation of programmers: `/items/0/name` is `items[0].name`. */
export function nameOfPath(pointer: string): string {
  return keysOf(pointer).reduce(
    (name, key) => (/^\d+$/.test(key) ? `${name}[${key}]` : name === '' ? key : `${name}.${key}`),
    '',
  );
}

/** Whether `pointer` is `ancestor` or below it. */
export function isWithin(pointer: string, ancestor: string): boolean {
  return pointer === ancestor || pointer.startsWith(`${ancestor}/`);
}

/** The value in `root` at a JSON Pointer; undefined if it does not exist. */
export function valueAt(root: unknown, pointer: string): unknown {
  return keysOf(pointer).reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isObject(value) ? own(value, key) : undefined;
  }, root);
}
