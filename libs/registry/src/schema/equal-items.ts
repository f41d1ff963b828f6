import { canonicalValue, type StepCounter } from './canonical-value.js';

/**
 * The indexes of the first two items that are equal in JSON Schema. Linear in the size of the list: items are compared
 * by hash, and an item with a shared hash is written as text at most once.
 */
export function findEqualItems(list: readonly unknown[], run: StepCounter): [number, number] | undefined {
  const firstOfHash = new Map<number, number>();
  const firstOfText = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const hash = hashOf(item, run);
    const first = firstOfHash.get(hash);
    if (first === undefined) {
      firstOfHash.set(hash, index);
      continue;
    }
    // The first item of a hash is written when a second one appears.
    if (!(first < 0)) firstOfText.set(canonicalValue(list[first], run), first);
    firstOfHash.set(hash, WRITTEN);
    const text = canonicalValue(item, run);
    const equal = firstOfText.get(text);
    if (equal !== undefined) return [equal, index];
    firstOfText.set(text, index);
  }
  return undefined;
}

/** Replaces the first index of a hash after its item was written. */
const WRITTEN = -1;

/** Equal values have the same hash; different values mostly have different ones. */
function hashOf(value: unknown, run: StepCounter): number {
  run.take(2);
  if (typeof value === 'string') return hashOfText(value, run);
  if (typeof value === 'number')
    return mix(Math.trunc(value % 2_147_483_647), Math.trunc((value * 1_000_003) % 2_147_483_647));
  if (typeof value !== 'object' || value === null) return value === null ? 1 : value === true ? 2 : 3;
  if (Array.isArray(value)) return value.reduce<number>((hash, item) => mix(hash, hashOf(item, run)), value.length);
  let hash = 5;
  // A sum, because the order of keys does not matter.
  for (const [key, item] of Object.entries(value)) {
    hash = (hash + mix(hashOfText(key, run), hashOf(item, run))) | 0;
  }
  return hash;
}

function hashOfText(text: string, run: StepCounter): number {
  run.take(2 + (text.length >> 2));
  let hash = text.length;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}

function mix(a: number, b: number): number {
  return Math.imul(Math.imul(a, 0x9e3779b1) ^ b, 0x85ebca6b) | 0;
}
