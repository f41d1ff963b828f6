import { foldKey } from './key-spelling.js';
import type { Matches } from './match-marks.js';
import { markAt, type Mark } from './scan-marks.js';
import { isSeparation } from './separators.js';

/** Why a reading is rejected. `unended`: the next block begins before this one ends. */
export interface Mismatch {
  at: number;
  message: string;
  unended?: boolean;
}

/** The checks that keep a guessed value from hiding fields. */
export interface Guard {
  /** Whether the block's tools declare a name, as a key spells it. */
  isParameter(name: string): boolean;
  /** Whether a key names a tool. */
  isCommand(name: string): boolean;
  /**
   * Declared parameters that occur as `name:「始」` inside a value. They are harmless mentions only if the block has a
   * field of that name.
   */
  mentioned: { name: string; problem: Mismatch }[];
}

interface Marks {
  text: string;
  marks: readonly Mark[];
  matches: Matches;
}

/** A line of a value that begins like a field. */
const LINE_OF_FIELD = /\n[ \t,，;；*•>+-]*([\p{L}_][\p{L}\p{M}\p{N}_]*)[ \t]*[:：=]/gu;

export function unclosed({ key, start }: Mark): Mismatch {
  return { at: key?.start ?? start, message: `The value of '${key?.name ?? ''}' is not closed` };
}

/**
 * Returns the problem if a guessed value (between two marks) would hide a field. Such a field is an unclosed one at a
 * line start, one that names a tool, or a parameter that seems to have lost a mark.
 */
export function hiddenField(scan: Marks, index: number, end: number, guard: Guard): Mismatch | undefined {
  const { text, marks, matches } = scan;
  if (markAt(marks, index).kind === 'escapeOpen') return undefined;
  const problem = unclosed(markAt(marks, index));
  // A tool id contains no mark.
  if (end > index + 1 && (guard.isCommand(markAt(marks, index).key?.name ?? '') || runsOnBehind(scan, end)))
    return problem;
  const isKnown = (name: string) => guard.isCommand(name) || guard.isParameter(name);
  if (end > index + 1) {
    for (const [, name = ''] of text.slice(markAt(marks, index).end, markAt(marks, end).start).matchAll(LINE_OF_FIELD))
      if (isKnown(name)) guard.mentioned.push({ name, problem });
  }
  for (let i = index + 1; i < end; i++) {
    const { key, kind, start, end: behind } = markAt(marks, i);
    const closer = matches.balanced[i] ?? -1;
    const closed = closer !== -1 && closer < end;
    if (key && ((key.lineStart && !closed) || guard.isCommand(key.name))) return problem;
    if (key && guard.isParameter(key.name)) guard.mentioned.push({ name: key.name, problem });
    if (kind === 'open' && !key && isKnown(wordBefore(text, start))) return problem;
    if (kind !== 'close') continue;
    const gap = text.slice(behind, markAt(marks, i + 1).start);
    if (fieldFollows(gap, isKnown) || (markAt(marks, i + 1).kind === 'open' && isDamagedKey(gap))) return problem;
    if (markAt(marks, i + 1).kind === 'close' && isSeparation(gap, 0, gap.length)) {
      return { at: markAt(marks, i + 1).start, message: `${text.slice(start, behind)} is doubled` };
    }
  }
  return undefined;
}

/**
 * Checks for a doubled closing mark, as in `a:「始」x` followed by `b:「始」y「末」「末」`. The outer value may have lost its own
 * mark while the inner one is doubled. An inner field on its own line is a field; elsewhere it is one if the block
 * lacks it.
 */
export function doubledEnd(
  { text, marks, matches }: Marks,
  index: number,
  end: number,
  guard: Guard,
): Mismatch | undefined {
  const last = markAt(marks, end - 1);
  if (last.kind !== 'close' || markAt(marks, index).kind === 'escapeOpen') return undefined;
  const gap = text.slice(last.end, markAt(marks, end).start);
  if (!isSeparation(gap, 0, gap.length)) return undefined;
  let inner = end - 2;
  while (inner > index && !(markAt(marks, inner).key && matches.balanced[inner] === end - 1)) inner--;
  const { key } = markAt(marks, inner);
  if (inner === index || !key) return undefined;
  const problem = unclosed(markAt(marks, index));
  if (guard.isParameter(key.name)) guard.mentioned.push({ name: key.name, problem });
  return gap === '' && key.lineStart ? problem : undefined;
}

/** Returns the first mentioned parameter without a field in the block. It may be a field that lost its mark. */
export function lostField({ mentioned }: Guard, fields: readonly { key: string }[]): Mismatch | undefined {
  if (mentioned.length === 0) return undefined;
  const given = new Set(fields.map(({ key }) => foldKey(key)));
  return mentioned.find(({ name }) => !given.has(foldKey(name)))?.problem;
}

function wordBefore(text: string, end: number): string {
  return /[\p{L}_][\p{L}\p{M}\p{N}_]*$/u.exec(text.slice(Math.max(0, end - 100), end).trimEnd())?.[0] ?? '';
}

/**
 * Whether an inner closing mark looks like the end of a field. Either a separator and a new line follow it, or the next
 * line begins with a name.
 */
function fieldFollows(gap: string, isKnown: (name: string) => boolean): boolean {
  const layout = /^[\s,，;；]{0,200}/.exec(gap)?.[0] ?? '';
  const isNewLine = layout.includes('\n');
  if (isNewLine && /[,，;；]/.test(layout)) return true;
  const match = /^:?([\p{L}_][\p{L}\p{M}\p{N}_]{0,200})(\s{0,50}[:：=])?/u.exec(gap.slice(layout.length));
  if (!match) return false;
  const [, name = ''] = match;
  return isNewLine
    ? match[2] !== undefined || isKnown(name) || isKnown(/^[^\p{N}]+/u.exec(name)?.[0] ?? '')
    : match[2] !== undefined && isKnown(name);
}

/** Whether other text follows a guessed end on its line. Then the end is not clean. */
function runsOnBehind({ text, marks }: Marks, end: number): boolean {
  const next = marks[end + 1];
  const [line = ''] = text.slice(markAt(marks, end).end, next?.key?.start ?? next?.start).split('\n', 1);
  return !/^[\s,，;；]*(?:$|#|\/\/)/.test(line);
}

/** Whether the line before a lone opening mark is empty or ends like a damaged key. */
function isDamagedKey(gap: string): boolean {
  const line = /\n([^\n]*)$/.exec(gap)?.[1]?.trim();
  return line !== undefined && (line === '' || /[:：]$/.test(line));
}
