/** Sums the members with the same name, in the order of their first ones. */
export function mergeByName<T>(all: readonly T[], nameOf: (one: T) => string, sum: (a: T, b: T) => T): T[] {
  const merged = new Map<string, T>();
  for (const one of all) {
    const known = merged.get(nameOf(one));
    merged.set(nameOf(one), known === undefined ? one : sum(known, one));
  }
  return [...merged.values()];
}
