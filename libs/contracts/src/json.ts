/** A JSON value. It never contains `undefined`. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. Objects that Errand builds from outside input have a null prototype. */
export type JsonObject = { [key: string]: Json };

/** The greatest depth of a value that Errand accepts or returns. JSON.stringify and ajv overflow the stack only far above it. */
export const MAX_DEPTH = 64;

/** Whether `value` is a plain JSON object (not null, not a list). */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads an own property only, so that `constructor` and `__proto__` are ordinary names. */
export function own<T>(bag: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return bag !== undefined && Object.hasOwn(bag, key) ? bag[key] : undefined;
}

/** Sets an own property, also for the names `__proto__` and `constructor`. */
export function setOwn<T>(bag: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__')
    Object.defineProperty(bag, key, { value, enumerable: true, configurable: true, writable: true });
  else bag[key] = value;
}

/**
 * Whether a parsed value nests deeper than `max` levels. A scalar has depth 0; `[]` and `{}` have depth 1.
 * The recursion ends at `max`, so that the stack holds the values that it must detect.
 */
export function isDeeperThan(value: unknown, max: number = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (max <= 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(item, max - 1)) return true;
    return false;
  }
  for (const name in value) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an own property of an object
    const child = (value as Record<string, unknown>)[name];
    if (typeof child === 'object' && Object.hasOwn(value, name) && isDeeperThan(child, max - 1)) return true;
  }
  return false;
}

/**
 * The size of a JSON value: the characters of its strings and keys, plus `perValue` for each value. Counting stops above `atMost`, so
 * the time is bounded, too.
 */
export function sizeOf(value: unknown, atMost: number, perValue = 1): number {
  let size = perValue;
  if (typeof value === 'string') return size + value.length;
  if (typeof value !== 'object' || value === null) return size;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (size > atMost) return size;
      size += sizeOf(item, atMost - size, perValue);
    }
    return size;
  }
  for (const name in value) {
    if (size > atMost) return size;
    if (!Object.hasOwn(value, name)) continue;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an own property of an object
    size += name.length + sizeOf((value as Record<string, unknown>)[name], atMost - size, perValue);
  }
  return size;
}

/** JSON text with the keys of every object in code-unit order. Equal values give equal text, which digests need. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1))) : item,
  );
}
