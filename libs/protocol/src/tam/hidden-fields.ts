import { foldKey } from './keys.js';
import type { Matches } from './match-marks.js';
import type { Mark } from './scan-marks.js';

/** Why a reading does not count. `unended`: the next block begins where this one should end. */
export interface Mismatch {
  at: number;
  message: string;
  unended?: boolean;
}

/** What keeps a guess from swallowing fields. */
export interface Guard {
  /** Whether a name, as a key spells it, is one that the block's tools declare. */
  isParameter(name: string): boolean;
  /** Whether a key names a tool. */
  isCommand(name: string): boolean;
  /** Declared parameters that stand as `name:「始」` in a value: only mentioned, if the block has a field of that name. */
  mentioned: { name: string; problem: Mismatch }[];
}

interface Marks {
  text: string;
  marks: readonly Mark[];
  matches: Matches;
}

/** A line of a value that begins as a field would. */
const LINE_OF_FIELD = /\n[ \t,，;；*•>+-]*([\p{L}_][\p{L}\p{M}\p{N}_]*)[ \t]*[:：=]/gu;

export function unclosed({ key }: Mark): Mismatch {
  return { at: key!.start, message: `The value of '${key!.name}' is not closed` };
}

/**
 * A field that a guessed value (from the mark with this index to that with index `end`) would hide: an unclosed one at the start
 * of a line, one that names a tool, or what looks like a parameter of the block's tools that lost a mark.
 */
export function hiddenField(scan: Marks, index: number, end: number, guard: Guard): Mismatch | undefined {
  const { text, marks, matches } = scan;
  if (marks[index]!.kind === 'escapeOpen') return undefined;
  const problem = unclosed(marks[index]!);
  // No tool's id holds a mark.
  if (end > index + 1 && (guard.isCommand(marks[index]!.key!.name) || runsOnBehind(scan, end))) return problem;
  const isKnown = (name: string) => guard.isCommand(name) || guard.isParameter(name);
  if (end > index + 1) {
    for (const [, name] of text.slice(marks[index]!.end, marks[end]!.start).matchAll(LINE_OF_FIELD))
      if (isKnown(name!)) guard.mentioned.push({ name: name!, problem });
  }
  for (let i = index + 1; i < end; i++) {
    const { key, kind, start, end: behind } = marks[i]!;
    const closed = matches.balanced[i] !== -1 && matches.balanced[i]! < end;
    if (key && ((key.lineStart && !closed) || guard.isCommand(key.name))) return problem;
    if (key && guard.isParameter(key.name)) guard.mentioned.push({ name: key.name, problem });
    if (kind === 'open' && !key && isKnown(wordBefore(text, start))) return problem;
    if (kind !== 'close') continue;
    const gap = text.slice(behind, marks[i + 1]!.start);
    if (fieldFollows(gap, isKnown) || (marks[i + 1]!.kind === 'open' && isDamagedKey(gap))) return problem;
    if (marks[i + 1]!.kind === 'close' && /^[\s,，;；]*$/.test(gap)) {
      return { at: marks[i + 1]!.start, message: `${text.slice(start, behind)} is doubled` };
    }
  }
  return undefined;
}

/**
 * A value whose last field closes right where it closes itself, `a:「始」x` and then `b:「始」y「末」「末」`: perhaps its own mark was
 * forgotten and the other's is doubled. On a line of its own such a field is one; elsewhere it is if the block lacks it.
 */
export function doubledEnd(
  { text, marks, matches }: Marks,
  index: number,
  end: number,
  guard: Guard,
): Mismatch | undefined {
  const last = marks[end - 1]!;
  const gap = text.slice(last.end, marks[end]!.start);
  if (marks[index]!.kind === 'escapeOpen' || last.kind !== 'close' || !/^[\s,，;；]*$/.test(gap)) return undefined;
  let inner = end - 2;
  while (inner > index && !(marks[inner]!.key && matches.balanced[inner] === end - 1)) inner--;
  const { key } = marks[inner]!;
  if (inner === index || !key) return undefined;
  const problem = unclosed(marks[index]!);
  if (guard.isParameter(key.name)) guard.mentioned.push({ name: key.name, problem });
  return gap === '' && key.lineStart ? problem : undefined;
}

/** Of the parameters that values mention, the first that the block has no field for: it may be that field which lost its mark. */
export function lostField({ mentioned }: Guard, fields: readonly { key: string }[]): Mismatch | undefined {
  if (mentioned.length === 0) return undefined;
  const given = new Set(fields.map(({ key }) => foldKey(key)));
  return mentioned.find(({ name }) => !given.has(foldKey(name)))?.problem;
}

function wordBefore(text: string, end: number): string {
  return /[\p{L}_][\p{L}\p{M}\p{N}_]*$/u.exec(text.slice(Math.max(0, end - 100), end).trimEnd())?.[0] ?? '';
}

/**
 * Whether an inner closing mark looks like the end of a field: a separator and a new line behind it, or on the next line a name,
 * perhaps of a field that lost its opening mark.
 */
function fieldFollows(gap: string, isKnown: (name: string) => boolean): boolean {
  const [layout] = /^[\s,，;；]{0,200}/.exec(gap)!;
  const isNewLine = layout.includes('\n');
  if (isNewLine && /[,，;；]/.test(layout)) return true;
  const match = /^:?([\p{L}_][\p{L}\p{M}\p{N}_]{0,200})(\s{0,50}[:：=])?/u.exec(gap.slice(layout.length));
  if (!match) return false;
  const name = match[1]!;
  return isNewLine
    ? match[2] !== undefined || isKnown(name) || isKnown(/^[^\p{N}]+/u.exec(name)![0])
    : match[2] !== undefined && isKnown(name);
}

/** Whether the line goes on with other text behind a guessed end: then it is no clean one. */
function runsOnBehind({ text, marks }: Marks, end: number): boolean {
  const next = marks[end + 1];
  const [line = ''] = text.slice(marks[end]!.end, next?.key?.start ?? next?.start).split('\n', 1);
  return !/^[\s,，;；]*(?:$|#|\/\/)/.test(line);
}

/** Whether a line between an inner closing mark and a lone opening one holds just that mark, or what could not be read as its key. */
function isDamagedKey(gap: string): boolean {
  const line = /\n([^\n]*)$/.exec(gap)?.[1]?.trim();
  return line !== undefined && (line === '' || /[:：]$/.test(line));
}
