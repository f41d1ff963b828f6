import { skipBlanksBack } from '../blanks.js';
import { ESCAPE, type Dialect } from './dialects.js';
import { isKey, skipWordBack } from './key-spelling.js';

/** A delimiter in the text. An opening mark with a `key` begins a field; without one it is lone. */
export interface Mark {
  kind: 'open' | 'close' | 'escapeOpen' | 'escapeClose' | 'blockStart' | 'blockEnd';
  start: number;
  end: number;
  key: { name: string; start: number; lineStart: boolean } | undefined;
}

/** The mark with this index. The callers know that it exists. @throws RangeError */
export function markAt(marks: readonly Mark[], index: number): Mark {
  const mark = marks[index];
  if (!mark) throw new RangeError(`Internal error: no mark has the index ${index}`);
  return mark;
}

/** Characters that may precede a field on its line: blanks, separators, bullets. */
const LAYOUT = ' \t,，;；*•>+-';

/** The next occurrence of one delimiter. */
interface Occurrence {
  kind: Mark['kind'];
  delimiter: string;
  /** Its offset; the length of the text if there is none. */
  at: number;
}

/**
 * Returns all delimiters from `from` on. Each delimiter is searched in one pass, and the nearest one is taken. The key
 * before an opening mark is read backwards, at most to the previous mark, so that the scan is linear for any text.
 */
export function scanMarks(text: string, dialect: Dialect, from: number): Mark[] {
  const occurrences = occurrencesOf(dialect);
  for (const occurrence of occurrences) findNext(occurrence, text, from);
  const marks: Mark[] = [];
  let before: Mark | undefined;
  for (let next = nearest(occurrences); next.at < text.length; next = nearest(occurrences)) {
    const { kind, at: start } = next;
    const end = start + next.delimiter.length;
    const floor = before?.end ?? from;
    const isOpen = kind === 'open' || kind === 'escapeOpen';
    const key = isOpen ? keyBefore(text, start, floor, !before || before.kind === 'blockStart') : undefined;
    before = { kind, start, end, key };
    marks.push(before);
    for (const occurrence of occurrences) if (occurrence.at < end) findNext(occurrence, text, end);
  }
  return marks;
}

function occurrencesOf({ open, close, blockStart, blockEnd }: Dialect): [Occurrence, ...Occurrence[]] {
  return [
    { kind: 'open', delimiter: open, at: 0 },
    { kind: 'close', delimiter: close, at: 0 },
    { kind: 'escapeOpen', delimiter: ESCAPE.open, at: 0 },
    { kind: 'escapeClose', delimiter: ESCAPE.close, at: 0 },
    { kind: 'blockStart', delimiter: blockStart, at: 0 },
    { kind: 'blockEnd', delimiter: blockEnd, at: 0 },
  ];
}

function findNext(occurrence: Occurrence, text: string, from: number): void {
  const at = text.indexOf(occurrence.delimiter, from);
  occurrence.at = at === -1 ? text.length : at;
}

/** No two delimiters begin at the same offset, because none begins with another one. */
function nearest(occurrences: readonly [Occurrence, ...Occurrence[]]): Occurrence {
  let [found] = occurrences;
  for (const one of occurrences) if (one.at < found.at) found = one;
  return found;
}

/** Reads `key blank* (":" | "：") blank*` backwards from `end`, at most to `floor`. */
function keyBefore(text: string, end: number, floor: number, afterBlockStart: boolean): Mark['key'] {
  const colon = skipBlanksBack(text, floor, end) - 1;
  if (colon < floor || !':：'.includes(text.charAt(colon))) return undefined;
  const wordEnd = skipBlanksBack(text, floor, colon);
  const start = skipWordBack(text, floor, wordEnd);
  if (!isKey(text, start, wordEnd)) return undefined;
  let lineStart = start;
  while (lineStart > floor && LAYOUT.includes(text.charAt(lineStart - 1))) lineStart--;
  const isFirst = text[lineStart - 1] === '\n' || (lineStart === floor && afterBlockStart);
  return { name: text.slice(start, wordEnd), start, lineStart: isFirst };
}
