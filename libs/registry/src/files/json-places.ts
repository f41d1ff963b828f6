import { escapeKey } from './json-pointer.js';

/** Where things stand in a JSON text, as offsets by JSON Pointer: a property at its key, an item at the item. */
export interface JsonPlaces {
  offsets: ReadonlyMap<string, number>;
  /** The keys that stand twice in their object, of which `JSON.parse` silently keeps the last; the first 20. */
  duplicates: readonly Duplicate[];
}

interface Duplicate {
  key: string;
  pointer: string;
  offset: number;
}

const MAX_DUPLICATES = 20;

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|[^\s{}[\]:,"]+/g;

interface Open {
  pointer: string;
  /** Of a list: how many items there were; of an object: undefined. */
  items?: number;
  /** Of an object: the pointer of the key whose value comes next. */
  next?: string;
}

/** Reads a text that is valid JSON once more, for the places. Linear time, no recursion. */
export function placesIn(text: string): JsonPlaces {
  const offsets = new Map<string, number>();
  const open: Open[] = [];
  const duplicates: Duplicate[] = [];
  for (const { 0: token, index: offset } of text.matchAll(TOKEN)) {
    const around = open.at(-1);
    if (token === ',') continue;
    if (token === '}' || token === ']') open.pop();
    else if (around && around.items === undefined && around.next === undefined) {
      const key = String(JSON.parse(token));
      around.next = `${around.pointer}/${escapeKey(key)}`;
      if (offsets.has(around.next) && duplicates.length < MAX_DUPLICATES) {
        const pointer = around.next;
        // What is inside the second of two has the pointers of the first.
        const isInside = duplicates.some((other) => pointer.startsWith(`${other.pointer}/`));
        if (!isInside) duplicates.push({ key, pointer, offset });
      }
      offsets.set(around.next, offset);
    } else {
      const pointer = around ? (around.next ?? `${around.pointer}/${around.items!++}`) : '';
      if (around?.next === undefined) offsets.set(pointer, offset);
      else around.next = undefined;
      if (token === '{') open.push({ pointer });
      else if (token === '[') open.push({ pointer, items: 0 });
    }
  }
  return { offsets, duplicates };
}
