import { doubledEnd, hiddenField, lostField, unclosed, type Guard, type Mismatch } from './hidden-fields.js';
import type { Matches, ClosingRule } from './match-marks.js';
import { markAt, type Mark } from './scan-marks.js';
import { isSeparation } from './separators.js';

/** A field of a block. Offsets are in the submitted text. */
export interface Field {
  key: string;
  at: number;
  value: string;
  /** The begin of the value, and the offset behind its end. */
  begin: number;
  end: number;
}

/** A range of a block outside the fields: a comment or stray text. */
export interface Stretch {
  start: number;
  end: number;
  /** Whether a field follows directly. */
  beforeField: boolean;
}

/** A block whose marks are all assigned. */
export interface BlockReading {
  fields: Field[];
  stray: Stretch[];
  comments: Stretch[];
  /** Warnings about values that contain marks. */
  marked: { at: number; message: string }[];
  /** The index of the mark behind the block's end marker. */
  next: number;
}

/** The text, its marks, and the possible ends of their values. */
export interface Scan {
  text: string;
  marks: readonly Mark[];
  matches: Matches;
}

/** A name after one of these characters is not a key: `user-id:「始」` is not the field `id`. */
const JOINED = /[\p{L}\p{N}_][-./\\$@+~']$/u;

/**
 * Reads the body of the block that starts at `marks[index - 1]`. `reading` decides where values end. `names` knows the
 * declared names: a guessed value must not hide one of their fields.
 */
export function readBlock(
  scan: Scan,
  index: number,
  reading: ClosingRule,
  names: Pick<Guard, 'isParameter' | 'isCommand'>,
): BlockReading | Mismatch {
  const { text, marks } = scan;
  const guard: Guard = { ...names, mentioned: [] };
  const found: BlockReading = { fields: [], stray: [], comments: [], marked: [], next: index };
  let at = markAt(marks, index - 1).end;
  let i = index;
  for (let mark = marks[i]; mark; mark = marks[i]) {
    const from = mark.key?.start ?? mark.start;
    // Most fields follow each other, with separators and blanks between them.
    const isPlain = isSeparation(text, at, from);
    const comment = isPlain ? undefined : findComment(text, at, from);
    if (comment) {
      addStray(found, text, { start: at, end: comment.start, beforeField: false });
      found.comments.push(comment);
      at = comment.end;
      while (i < marks.length && markAt(marks, i).start < at) i++;
      continue;
    }
    if (!isPlain) addStray(found, text, { start: at, end: from, beforeField: mark.key !== undefined });
    if (mark.kind === 'blockEnd') return lostField(guard, found.fields) ?? { ...found, next: i + 1 };
    if (mark.kind === 'blockStart')
      return { at: mark.start, message: 'Another block begins before this one is closed', unended: true };
    if (!mark.key || from < at) return leftover(text, mark);
    if (!isPlain && JOINED.test(text.slice(Math.max(at, from - 3), from))) {
      return {
        at: from,
        message: `'${mark.key.name}' is joined to the text before it; a key is letters, digits and _`,
      };
    }
    const end = scan.matches[reading][i] ?? -1;
    const check = reading === 'balanced' ? doubledEnd : hiddenField;
    const hidden = end === -1 ? unclosed(mark) : check(scan, i, end, guard);
    if (hidden) return hidden;
    addField(scan, i, end, found);
    at = markAt(marks, end).end;
    i = end + 1;
    if (runsOn(text, markAt(marks, end)) || isLeftEmpty(text, markAt(marks, end - 1), markAt(marks, end), marks[i]))
      return { at: markAt(marks, end).start, message: `It is unclear where the value of '${mark.key.name}' ends` };
  }
  return { at: markAt(marks, index - 1).start, message: 'The block is not closed' };
}

/** Finds a comment: `#` to the end of the line, at a position where a field could begin. */
function findComment(text: string, from: number, to: number): Stretch | undefined {
  const gap = text.slice(from, to);
  for (let hash = gap.indexOf('#'); hash !== -1; hash = gap.indexOf('#', hash + 1)) {
    const lineStart = gap.lastIndexOf('\n', hash) + 1;
    if (!isSeparation(gap, lineStart, hash)) {
      hash = gap.indexOf('\n', hash);
      if (hash === -1) return undefined;
      continue;
    }
    const end = text.indexOf('\n', from + hash);
    return { start: from + hash, end: end === -1 ? text.length : end, beforeField: false };
  }
  return undefined;
}

function addStray(found: BlockReading, text: string, stretch: Stretch): void {
  if (!isSeparation(text, stretch.start, stretch.end)) found.stray.push(stretch);
}

function addField({ text, marks }: Scan, index: number, end: number, found: BlockReading): void {
  const { key, end: start, kind } = markAt(marks, index);
  if (!key) return;
  const { start: behind } = markAt(marks, end);
  found.fields.push({ key: key.name, at: key.start, value: text.slice(start, behind), begin: start, end: behind });
  if (endsWithSeparator(text, start, markAt(marks, end))) {
    found.marked.push({
      at: markAt(marks, end).start,
      message: `The separator before this mark belongs to the value of '${key.name}'`,
    });
  }
  if (hasStrayBracket(text, start, markAt(marks, end))) {
    const message = `The value of '${key.name}' begins or ends with a part of a mark; is it one too many?`;
    found.marked.push({ at: markAt(marks, end).start, message });
  }
  const inside = markAt(marks, index + 1);
  if (end === index + 1 || (kind === 'escapeOpen' && inside.kind !== 'escapeOpen')) return;
  const mark = text.slice(inside.start, inside.end);
  found.marked.push({ at: inside.start, message: `The ${mark} inside the value of '${key.name}' is read as text` });
}

/** Whether a value ends with a separator while none follows its mark. The two may be swapped. */
function endsWithSeparator(text: string, start: number, closer: Mark): boolean {
  const last = closer.start > start ? text.charAt(closer.start - 1) : '';
  const next = text[closer.end] ?? '';
  if (last === '\n') return !/[\s,，;；]/.test(next);
  return last !== '' && ',，;；'.includes(last) && !',，;；'.includes(next);
}

/** Whether a value begins or ends with a character of its own delimiter. */
function hasStrayBracket(text: string, start: number, closer: Mark): boolean {
  if (closer.start === start) return false;
  return text[start] === text[start - 1] || text[closer.start - 1] === text[closer.start];
}

/**
 * Whether the last character of a delimiter like `«««` is repeated behind it. The value may then end with that
 * character.
 */
function runsOn(text: string, { start, end }: Mark): boolean {
  const char = text[start];
  return text[end] === char && text[end - 1] === char;
}

/** Whether text directly follows an empty value (`key:「始」「末」text`). The value was probably not meant to be empty. */
function isLeftEmpty(text: string, opener: Mark, closer: Mark, next?: Mark): boolean {
  if (opener.end !== closer.start) return false;
  const end = next?.key?.start ?? next?.start ?? text.length;
  return closer.end < end && !isSeparation(text, closer.end, closer.end + 1);
}

function leftover(text: string, mark: Mark): Mismatch {
  const shown = text.slice(mark.start, mark.end);
  const isOpen = mark.kind === 'open' || mark.kind === 'escapeOpen';
  return { at: mark.start, message: isOpen ? `${shown} follows no 'key:'` : `${shown} closes no value` };
}
