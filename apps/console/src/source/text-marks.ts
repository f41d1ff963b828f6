import type { CallPlaces, LocatedProblem, LocatedWarning, TextFix, TextRange } from '@errand/contracts';

/** What a mark in a text is about: the kind of an error, a warning, a repaired value, or the chosen value. */
export type MarkKind = LocatedProblem['kind'] | 'warning' | 'repair' | 'chosen';

/** A range of a text that is shown differently. Offsets count UTF-16 code units. */
export interface TextMark {
  start: number;
  end: number;
  line: number;
  column: number;
  kind: MarkKind;
  /** What it says to readers that stop at it. */
  title: string;
}

/** A part of a text, with its mark. */
export interface TextPiece {
  text: string;
  mark?: TextMark;
}

/** Returns a function from lines and columns, both from 1, to offsets. It never leaves the text. */
export function offsetsIn(text: string): (line: number, column: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (line, column) =>
    Math.min(text.length, (starts[Math.max(0, line - 1)] ?? text.length) + Math.max(0, column - 1));
}

/** The number of lines of a text. */
export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

interface Marked {
  errors?: readonly Partial<LocatedProblem>[];
  warnings?: readonly LocatedWarning[];
  calls?: readonly Partial<CallPlaces>[];
}

/** The marks of a text: errors, repaired values, and warnings at other places. */
export function marksOf(text: string, { errors = [], warnings = [], calls = [] }: Marked): TextMark[] {
  const offsetAt = offsetsIn(text);
  const marks: TextMark[] = [];
  const add = (range: TextRange, kind: MarkKind, title: string) => {
    const { line, column } = range;
    const start = offsetAt(line, column);
    const end = Math.max(offsetAt(range.endLine, range.endColumn), Math.min(text.length, start + 1));
    marks.push({ start, end, line, column, kind, title });
  };
  for (const error of errors) {
    const { line, column, kind = 'invalid_parameters', message = '' } = error;
    if (line !== undefined && column !== undefined) add(withEnd(error, line, column), kind, message);
  }
  for (const { places = {} } of calls)
    for (const place of Object.values(places)) if (place.repair !== undefined) add(place, 'repair', place.repair);
  const repaired = new Set(marks.map(({ title }) => title));
  for (const { line, column, message } of warnings)
    if (!repaired.has(message)) add({ line, column, endLine: line, endColumn: column + 1 }, 'warning', message);
  return marks;
}

function withEnd(error: Partial<LocatedProblem>, line: number, column: number): TextRange {
  const { endLine = line, endColumn = column + 1 } = error;
  return { line, column, endLine, endColumn };
}

/** A mark of the value that a reader has chosen. */
export function chosenMark(text: string, range: TextRange): TextMark {
  const offsetAt = offsetsIn(text);
  const { line, column } = range;
  return {
    start: offsetAt(line, column),
    end: offsetAt(range.endLine, range.endColumn),
    line,
    column,
    kind: 'chosen',
    title: 'The chosen value',
  };
}

/** The text in pieces. A later mark begins where an earlier one ends, so that each mark has its own characters; an empty rest is left out. */
export function splitText(text: string, marks: readonly TextMark[]): TextPiece[] {
  const pieces: TextPiece[] = [];
  let at = 0;
  for (const mark of marks.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const start = Math.max(at, mark.start);
    if (mark.end <= start) continue;
    if (start > at) pieces.push({ text: text.slice(at, start) });
    pieces.push({ text: text.slice(start, mark.end), mark });
    at = mark.end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at) });
  return pieces;
}

/** The text after a fix. */
export function applyFix(text: string, fix: TextFix): string {
  const offsetAt = offsetsIn(text);
  return text.slice(0, offsetAt(fix.line, fix.column)) + fix.text + text.slice(offsetAt(fix.endLine, fix.endColumn));
}

/** The JSON Pointer of a property of the arguments. */
export function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
