import type { CallPlaces, LocatedProblem, TextFix } from '@errand/contracts';
import { parse, type ParseOptions } from '../parse-text.js';
import type { ParseResult } from '../parse-result.js';
import { positionsIn } from '../positions.js';
import { closersAt } from './close.js';
import { conversionsOf } from './convert.js';
import { renamesAt } from './rename.js';
import { applyEdit, offsetOf, type TextEdit } from './text-edit.js';

/** The most errors that get a fix, and the most edits that are tried for one. */
const MOST_ERRORS = 10;
const MOST_TRIED = 8;
/** The most characters that are parsed to try edits. It bounds the time of one text. */
const MOST_PARSED = 600_000;

/**
 * Parses a text as `parse` does, and adds a `fix` to each error that one edit corrects. An edit is tried before it is offered: the error is
 * gone, and nothing else becomes wrong at its place. An edit after which nothing new is wrong comes before one that shows errors behind it.
 */
export function parseWithFixes(text: string, options: ParseOptions): ParseResult {
  const parsed = parse(text, options);
  const trial = { text, parsed, options, left: MOST_PARSED };
  const errors = parsed.errors.map((error, n): LocatedProblem => {
    const fix = n < MOST_ERRORS ? findFix(trial, error) : undefined;
    return fix ? { ...error, fix: toFix(text, fix) } : error;
  });
  return { ...parsed, errors };
}

interface Trial {
  text: string;
  parsed: ParseResult;
  options: ParseOptions;
  /** How many characters may still be parsed. */
  left: number;
}

function findFix(trial: Trial, error: LocatedProblem): TextEdit | undefined {
  const { text, parsed, options } = trial;
  let second: TextEdit | undefined;
  let tried = 0;
  for (const edit of editsFor(text, error, parsed.places ?? [])) {
    trial.left -= text.length;
    if (trial.left < 0 || ++tried > MOST_TRIED) return second;
    const after = parse(applyEdit(text, edit), options);
    const fresh = freshErrors(parsed, after, error);
    if (!fresh || after.protocol !== parsed.protocol) continue;
    if (fresh.length === 0) return edit;
    if (fresh.every((one) => isBehind(one, error))) second ??= edit;
  }
  return second;
}

/** The errors after an edit that were not there before; undefined if the error is still there, or if a call is lost. */
function freshErrors(before: ParseResult, after: ParseResult, error: LocatedProblem): LocatedProblem[] | undefined {
  if ((after.places?.length ?? 0) < Math.max(1, before.places?.length ?? 0)) return undefined;
  const known = new Map<string, number>();
  for (const one of before.errors) known.set(keyOf(one), (known.get(keyOf(one)) ?? 0) + 1);
  const others = (known.get(keyOf(error)) ?? 1) - 1;
  if (after.errors.filter((one) => keyOf(one) === keyOf(error)).length > others) return undefined;
  return after.errors.filter((one) => {
    const count = known.get(keyOf(one)) ?? 0;
    known.set(keyOf(one), count - 1);
    return count <= 0;
  });
}

/** A parameter that was not checked before, at another place. */
function isBehind({ kind, line, column }: LocatedProblem, fixed: LocatedProblem): boolean {
  return kind === 'invalid_parameters' && (line !== fixed.line || column !== fixed.column);
}

function* editsFor(text: string, error: LocatedProblem, places: readonly CallPlaces[]): Generator<TextEdit> {
  const { kind, path, suggestion, message, line, column, call } = error;
  const at = offsetOf(text, line, column);
  if (kind === 'malformed_xml' || kind === 'malformed_tam' || kind === 'truncated') yield* closersAt(text, at, message);
  if (kind === 'unknown_tool' && suggestion !== undefined) yield* renamesAt(text, at, nameIn(message), suggestion);
  if (kind !== 'invalid_parameters') return;
  const place = call === undefined ? undefined : places[call]?.places[path];
  const range = place && rangeOf(text, place);
  if (suggestion === undefined) {
    if (range) yield* conversionsOf(text, ...range);
    return;
  }
  if (message.startsWith('Unknown parameter'))
    yield* renamesAt(text, at, lastOf(path), suggestion.split('.').at(-1) ?? '');
  else if (range) yield { start: range[0], end: range[1], text: suggestion };
}

/** What an error says, without where it stands: an edit moves the errors behind it. */
function keyOf({ kind, path, message, call }: LocatedProblem): string {
  return JSON.stringify([kind, path, message, call]);
}

function toFix(text: string, { start, end, text: replacement }: TextEdit): TextFix {
  const positionAt = positionsIn(text);
  const behind = positionAt(end);
  return { ...positionAt(start), endLine: behind.line, endColumn: behind.column, text: replacement };
}

function rangeOf(text: string, place: { line: number; column: number; endLine: number; endColumn: number }) {
  return [offsetOf(text, place.line, place.column), offsetOf(text, place.endLine, place.endColumn)] as const;
}

function nameIn(message: string): string {
  return /^Unknown tool '([^]*)'$/.exec(message)?.[1] ?? '';
}

function lastOf(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return last.replaceAll('~1', '/').replaceAll('~0', '~');
}
