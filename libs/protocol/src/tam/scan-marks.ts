import { ESCAPE, type Dialect } from './dialects.js';

/** A delimiter in the text. An opening mark with a `key` begins a field; without one it is lone. */
export interface Mark {
  kind: 'open' | 'close' | 'escapeOpen' | 'escapeClose' | 'blockStart' | 'blockEnd';
  start: number;
  end: number;
  key?: { name: string; start: number; lineStart: boolean };
}

/** The mark with this index. The callers know that it exists. @throws RangeError */
export function markAt(marks: readonly Mark[], index: number): Mark {
  const mark = marks[index];
  if (!mark) throw new RangeError(`Internal error: no mark has the index ${index}`);
  return mark;
}

const WORD = /[\p{L}\p{M}\p{N}_]/u;
/** The name of a field: letters of any script, digits and `_`, without a digit first. */
export const KEY = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u;
const BLANK = /\s/;
/** Characters that may precede a field on its line: blanks, separators, bullets. */
const LAYOUT = /[ \t,，;；*•>+-]/;

/**
 * Returns all delimiters from `from` on, in one pass. The key before an opening mark is read backwards, at most to the
 * previous mark, so that the scan is linear for any text.
 */
export function scanMarks(text: string, dialect: Dialect, from: number): Mark[] {
  const kinds = new Map<string, Mark['kind']>([
    [ESCAPE.open, 'escapeOpen'],
    [ESCAPE.close, 'escapeClose'],
    [dialect.open, 'open'],
    [dialect.close, 'close'],
    [dialect.blockStart, 'blockStart'],
    [dialect.blockEnd, 'blockEnd'],
  ]);
  const pattern = new RegExp([...kinds.keys()].map((mark) => mark.replace(/[|[\]]/g, '\\$&')).join('|'), 'g');
  const marks: Mark[] = [];
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const kind = kinds.get(match[0]);
    if (!kind) continue;
    const mark: Mark = { kind, start: match.index, end: pattern.lastIndex };
    if (kind === 'open' || kind === 'escapeOpen') {
      const before = marks.at(-1);
      const key = keyBefore(text, mark.start, before?.end ?? from, before?.kind === 'blockStart' || !before);
      if (key) mark.key = key;
    }
    marks.push(mark);
  }
  return marks;
}

/** Reads `key blank* (":" | "：") blank*` backwards from `end`, at most to `floor`. */
function keyBefore(text: string, end: number, floor: number, afterBlockStart: boolean): Mark['key'] {
  let at = backOver(BLANK, text, end, floor);
  if (at <= floor || !':：'.includes(text.charAt(at - 1))) return undefined;
  at = backOver(BLANK, text, at - 1, floor);
  const start = backOver(WORD, text, at, floor);
  const name = text.slice(start, at);
  if (!KEY.test(name)) return undefined;
  const lineStart = backOver(LAYOUT, text, start, floor);
  return { name, start, lineStart: text[lineStart - 1] === '\n' || (lineStart === floor && afterBlockStart) };
}

/** The offset before the run of matching characters that ends at `at`. It keeps surrogate pairs together. */
function backOver(pattern: RegExp, text: string, at: number, floor: number): number {
  while (at > floor) {
    const low = text.charCodeAt(at - 1);
    const width = low >= 0xdc00 && low <= 0xdfff && at - 2 >= floor ? 2 : 1;
    if (!pattern.test(text.slice(at - width, at))) break;
    at -= width;
  }
  return at;
}
