import type { TextEdit } from './text-edit.js';

const NUMBER = /-?\d+(?:[.,]\d+)?/g;
const WORDS: Readonly<Record<string, string>> = {
  true: 'true',
  yes: 'true',
  on: 'true',
  '1': 'true',
  y: 'true',
  false: 'false',
  no: 'false',
  off: 'false',
  '0': 'false',
  n: 'false',
};
const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
/** A number in a template is a place and not a value. */
const TEMPLATE = '{{';

/** Edits of a value whose text can mean only one value of another type: `3 items`, `three`, `３`, `True`. @param start, end the written value */
export function* conversionsOf(text: string, start: number, end: number): Generator<TextEdit> {
  const written = text.slice(start, end);
  if (written.length > 200 || written.includes(TEMPLATE)) return;
  const raw = written.normalize('NFKC');
  const word = raw.replaceAll(/^[\s"']+|[\s"']+$/g, '').toLowerCase();
  const meant = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  if (meant !== undefined) yield { start, end, text: meant };
  const number = NUMBERS.indexOf(word);
  if (number !== -1) yield { start, end, text: String(number) };
  const found = raw.match(NUMBER) ?? [];
  const [only] = found;
  if (found.length !== 1 || only === undefined) return;
  const value = only.replace(',', '.');
  yield { start, end, text: value };
  if (/\.0+$/.test(value)) yield { start, end, text: value.replace(/\.0+$/, '') };
}
