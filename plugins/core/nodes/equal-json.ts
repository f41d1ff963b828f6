import { isObject, type Json } from '@errand/contracts';

/** Whether two values are equal as JSON: the order of an object's names does not count, and 1 is 1.0. Linear in their size. */
export function isEqualJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqualJson(item, b[index] ?? null));
  if (!isObject(a) || !isObject(b) || Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqualJson(a[name] ?? null, b[name] ?? null))
  );
}
