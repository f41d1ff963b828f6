import { canonicalJson, type Json } from '@errand/contracts';

const RANKS = ['null', 'boolean', 'number', 'string', 'array', 'object'];

/** What stands for a value in a comparison. Made once for each value: to write a large one as text costs more than to compare it. */
export interface SortKey {
  rank: number;
  value: number | string;
}

/**
 * One order for all JSON values: null, false, true, numbers by value, texts by code unit (so capitals come first), lists, objects.
 * The same on every machine, whatever its language is set to.
 */
export function sortKeyOf(value: Json): SortKey {
  const rank = RANKS.indexOf(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
  if (typeof value === 'number' || typeof value === 'string') return { rank, value };
  return { rank, value: typeof value === 'boolean' ? Number(value) : canonicalJson(value) };
}

/** Negative where `a` comes first. */
export function compareKeys(a: SortKey, b: SortKey): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  return a.value < b.value ? -1 : Number(a.value > b.value);
}
