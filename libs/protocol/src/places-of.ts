import type { CallPlaces, TextRange, ValuePlace } from '@errand/contracts';
import type { Findings } from './parse-result.js';
import { positionsIn, type TextPosition } from './positions.js';
import type { RawCall } from './resolve-call.js';
import type { ValuePositions } from './values/value-positions.js';
import type { ValueSource } from './values/value-source.js';

/** The largest number of listed calls. A text with more has an error. */
const MOST_CALLS = 1_000;
/** The largest number of listed values of a text. A text can have a hundred thousand. */
const MOST_VALUES = 1_000;
/** The longest `raw` in characters. The range always has the whole value. */
const LONGEST_RAW = 2_000;
/** The largest number of warnings that are matched with values. */
const MOST_REPAIRS = 100;

type PositionAt = (offset: number) => TextPosition;

/** Where the calls of a text and their values are written. */
export function placesOf(
  text: string,
  calls: readonly RawCall[],
  positions: readonly ValuePositions[],
  { warnings }: Findings,
): CallPlaces[] {
  const positionAt = positionsIn(text);
  let left = MOST_VALUES;
  return calls.slice(0, MOST_CALLS).map((call, index) => {
    const sources = [...(positions[index]?.table() ?? [])].slice(0, left);
    left -= sources.length;
    const repairs = repairsOf(sources, warnings);
    const places = sources.map(([path, source]): [string, ValuePlace] => {
      const [start, end] = source.range;
      const repair = repairs.get(source);
      const raw = text.slice(start, Math.min(end, start + LONGEST_RAW));
      return [path, { ...rangeOf(start, end, positionAt), raw, ...(repair !== undefined && { repair }) }];
    });
    const end = call.parameters.reduce((last, { range }) => Math.max(last, range[1]), call.end);
    // `fromEntries` makes each pointer an own property, also a name that objects inherit.
    return { place: rangeOf(call.at, end, positionAt), places: Object.fromEntries(places) };
  });
}

/** A written token: a tag, a mark of TAM, a word, or one character. */
const TOKEN = /<[^<>\n]*>?|「[^」\n]*」|[^\s<「]+|\S/y;

/** Returns a function from the offset of an error to the offset behind what is wrong: the value that begins there, or the next token. */
export function endsIn(text: string, positions: readonly ValuePositions[]): (at: number) => number {
  let ends: Map<number, number> | undefined;
  return (at) => {
    ends ??= new Map(
      positions.flatMap((one) => [...one.table().values()].map(({ at: from, range }) => [from, range[1]])),
    );
    const known = ends.get(at);
    if (known !== undefined) return known;
    TOKEN.lastIndex = at;
    return TOKEN.test(text) ? TOKEN.lastIndex : at;
  };
}

function rangeOf(start: number, end: number, positionAt: PositionAt): TextRange {
  const behind = positionAt(end);
  return { ...positionAt(start), endLine: behind.line, endColumn: behind.column };
}

/** The first warning about each value. A warning is about the innermost value around it, which is the last one in the list. */
function repairsOf(
  sources: readonly (readonly [path: string, source: ValueSource])[],
  warnings: Findings['warnings'],
): Map<ValueSource, string> {
  const repairs = new Map<ValueSource, string>();
  for (const { at, message } of warnings.slice(0, MOST_REPAIRS)) {
    const found = sources.findLast(([, source]) => source.at <= at && at < source.range[1]);
    if (found && !repairs.has(found[1])) repairs.set(found[1], message);
  }
  return repairs;
}
