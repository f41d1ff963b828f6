import { canonicalJson, type Json } from '@errand/contracts';

const RANKS = ['null', 'boolean', 'number', 'string', 'array', 'object'];

/** The form of a value for comparisons. It is made once for each value, because writing a large value as text is expensive. */
export interface SortKey {
  rank: number;
  value: number | string;
}

/**
 * One order for all JSON values: null, false, true, numbers by value, texts by code unit (so capitals come first), lists, objects.
 * The order does not depend on the locale of the machine.
 */
export function sortKeyOf(value: Json): SortKey {
  const rank = RANKS.indexOf(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
  if (typeof value === 'number' || typeof value === 'string') return { rank, value };
  return { rank, value: typeof value === 'boolean' ? Number(value) : canonicalJson(value) };
}

/** Negative if `a` comes first. */
export function compareKeys(a: SortKey, b: SortKey): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  return a.value < b.value ? -1 : Number(a.value > b.value);
}
