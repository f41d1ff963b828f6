import type { ResultReader } from './read-result.js';

/** A part of a text: where it begins, and where to read on; null behind the last. */
export interface Part {
  text: string;
  offset: number;
  nextOffset: number | null;
}

/**
 * The text from one place up to another, but never half a character: one of two code units that lies across a border belongs to the part
 * behind it. So parts that follow each other are the whole text, whoever reckons the offsets. A part of nothing but half a character has
 * all of it: who reads on comes to the end.
 */
export async function partOfResult(reader: ResultReader, from: number, to: number): Promise<Part> {
  const first = Math.max(0, from - 1);
  const around = await reader.part(first, Math.min(to + 1, reader.total));
  const border = (place: number) => (isWithinCharacter(around, place - first) ? place - 1 : place);
  const begin = border(from);
  const end = border(to) > begin ? border(to) : to + (to - border(to));
  return {
    text: around.slice(begin - first, end - first),
    offset: begin,
    nextOffset: end < reader.total ? end : null,
  };
}

function isWithinCharacter(text: string, place: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, place - 1), place + 1));
}
