import type { TextEdit } from './text-edit.js';

const NUMBER = /-?\d+(?:[.,]\d+)?/g;
const WORDS: Readonly<Record<string, string>> = {
  yes: 'true',
  on: 'true',
  '1': 'true',
  y: 'true',
  no: 'false',
  off: 'false',
  '0': 'false',
  n: 'false',
};
const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Edits of a value whose text can mean only one value of another type: `3 items`, `three`, `yes`. @param start, end the written value */
export function* conversionsOf(text: string, start: number, end: number): Generator<TextEdit> {
  const raw = text.slice(start, end);
  if (raw.length > 200) return;
  const word = raw.trim().toLowerCase();
  const meant = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  if (meant !== undefined) yield { start, end, text: meant };
  const number = NUMBERS.indexOf(word);
  if (number !== -1) yield { start, end, text: String(number) };
  const found = raw.match(NUMBER) ?? [];
  const [only] = found;
  if (found.length === 1 && only !== undefined) yield { start, end, text: only.replace(',', '.') };
}
