import { canonicalJson, type Json } from '@errand/contracts';

const RANKS = ['null', 'boolean', 'number', 'string', 'array', 'object'];

function rankOf(value: Json): number {
  return RANKS.indexOf(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
}

/**
 * One order for all JSON values: null, false, true, numbers by value, texts by code unit (so capitals come first), lists, objects.
 * The same on every machine, whatever its language is set to.
 */
export function compareValues(a: Json, b: Json): number {
  const ranks = rankOf(a) - rankOf(b);
  if (ranks !== 0) return ranks;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  const [left, right] = typeof a === 'string' && typeof b === 'string' ? [a, b] : [canonicalJson(a), canonicalJson(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
