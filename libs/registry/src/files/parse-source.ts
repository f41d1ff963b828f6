import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  YAMLParseError,
  YAMLWarning,
  type Document,
} from 'yaml';
import { placesIn } from './json-places.js';
import { keysOf } from './json-pointer.js';
import type { LibraryProblem } from './library-problem.js';
import type { TextPosition, SourceFile } from './source-file.js';
import { messageOf } from '../plugins/thrown-values.js';

/** YAML takes a hundred times as long to read as JSON. */
const MAX_YAML_LENGTH = 1024 * 1024;

type Fault = Omit<LibraryProblem, 'file'>;
type Parsed = (Omit<SourceFile, 'file' | 'problems'> & { faults: Fault[] }) | Fault;

/** The value of a `.json` or `.yaml` file, or what is wrong with its text, and where. A key that stands twice is wrong in both. */
export function parseSource(file: string, text: string): SourceFile | LibraryProblem {
  if (text.trim() === '') return { file, message: 'The file is empty' };
  const parsed = file.endsWith('.json') ? parseJson(text) : parseYaml(text);
  if ('message' in parsed) return { file, ...parsed };
  const { faults, ...source } = parsed;
  return { file, ...source, problems: faults.map((fault) => ({ file, ...fault })) };
}

function parseJson(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const { offset, message } = explainJsonError(text, messageOf(error));
    return { ...placeOf(text, offset), message: `The file is not valid JSON: ${message}` };
  }
  const duplicates = hasDuplicateKey(text, value) ? placesIn(text).duplicates : [];
  const faults = duplicates.map(({ key, offset }) => ({
    ...placeOf(text, offset),
    message: `The file has the field '${key}' twice; a field must be unique`,
  }));
  let places: ReadonlyMap<string, number> | undefined;
  const place = (pointer: string) => {
    places ??= placesIn(text).offsets;
    const nearest = ancestorsOf(pointer).find((ancestor) => places!.has(ancestor));
    return nearest === undefined ? undefined : placeOf(text, places.get(nearest)!);
  };
  return { value, place, faults };
}

/** A pointer and those of all that is around it, outwards. */
function ancestorsOf(pointer: string): string[] {
  const parts = pointer.split('/');
  return parts.map((_part, index) => parts.slice(0, parts.length - index).join('/'));
}

function parseYaml(text: string): Parsed {
  if (text.length > MAX_YAML_LENGTH) {
    return { message: `The file has ${text.length} characters; at most ${MAX_YAML_LENGTH} are read` };
  }
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
    const [fault] = document.errors.filter(({ code }) => code !== 'DUPLICATE_KEY');
    if (fault) return { ...startOf(fault), message: `The file cannot be read: ${firstLine(fault.message)}` };
    const faults = [...document.errors, ...document.warnings].map((each) => ({
      ...startOf(each),
      message: `The file cannot be read as it is meant: ${firstLine(each.message)}`,
    }));
    return { value: document.toJS(), place: (pointer) => placeIn(document, lines, pointer), faults };
  } catch (error) {
    // Aliases that multiply (a "billion laughs").
    return { message: `The file cannot be read: ${firstLine(messageOf(error))}` };
  }
}

function startOf(fault: unknown): Partial<TextPosition> {
  const start = fault instanceof YAMLParseError || fault instanceof YAMLWarning ? fault.linePos?.[0] : undefined;
  return start ? { line: start.line, column: start.col } : {};
}

function firstLine(message: string): string {
  if (message.includes('call stack')) return 'it nests too deep';
  if (message.includes('multiple documents')) return "it holds more than one document; take out the line '---'";
  return message.split(/ at line \d|\n/, 1)[0]!;
}

/** A property's place is its key, an item's is the item. */
function placeIn(document: Document, lines: LineCounter, pointer: string): TextPosition | undefined {
  let found: unknown = document.contents;
  let node: unknown = found;
  for (const key of keysOf(pointer)) {
    if (isAlias(node)) node = node.resolve(document);
    const pair = isMap(node)
      ? node.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
      : undefined;
    const child = isSeq(node) ? node.items[Number(key)] : pair?.value;
    if (child === undefined) break;
    found = pair?.key ?? child;
    node = child;
  }
  if (!isNode(found) || !found.range) return undefined;
  const { line, col } = lines.linePos(found.range[0]);
  return { line, column: col };
}

function placeOf(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

const STRING = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/**
 * Whether an object of a JSON text has a key twice, of which `JSON.parse` silently keeps the last: then the text has more keys
 * than its value. Much cheaper than to parse the text with positions.
 */
export function hasDuplicateKey(text: string, value: unknown): boolean {
  let keys = 0;
  for (const [, colon] of text.matchAll(STRING)) if (colon !== undefined) keys++;
  return keys > countKeys(value);
}

function countKeys(value: unknown): number {
  let keys = 0;
  const open = [value];
  while (open.length > 0) {
    const item = open.pop();
    if (typeof item !== 'object' || item === null) continue;
    if (!Array.isArray(item)) keys += Object.keys(item).length;
    for (const child of Object.values(item)) open.push(child);
  }
  return keys;
}

/** What people write that is no JSON: what the text goes on with at the mistake, what stands before it, and what is meant. */
const HABITS: readonly { rest: RegExp; before?: RegExp; message: string }[] = [
  { rest: /^(?:\/[/*]|#)/, message: 'JSON has no comments; take this one out' },
  { rest: /^[}\]]/, before: /,\s*$/, message: 'there is a comma too much before this bracket' },
  { rest: /^'/, message: 'texts and names stand in double quotes' },
  {
    rest: /^(?:true|false|none|null|undefined|nan|[-+]?infinity)\b/i,
    message: 'the words of JSON are true, false and null',
  },
  { rest: /^[\p{L}_$][\p{L}\p{N}_$]*\s*:/u, message: 'names stand in double quotes' },
  { rest: /^"/, before: /["\]}\dael]\s*$/, message: 'there is a comma missing before this' },
  { rest: /^[\t\r\n]/, message: 'a text ends on its line; write a line break in it as \\n, a tab as \\t' },
  { rest: /^$/, message: 'it ends too early; a bracket or a quotation mark is missing' },
];

/** Where a text stops being JSON, and why, in plain words where the mistake is a known habit, else in those of `JSON.parse`. */
export function explainJsonError(text: string, said: string): { offset: number; message: string } {
  const offset = startOfWord(text, jsonErrorOffset(text));
  const rest = text.slice(offset, offset + 40);
  const before = text.slice(Math.max(0, offset - 200), offset);
  const habit = HABITS.find((each) => each.rest.test(rest) && (each.before?.test(before) ?? true));
  if (habit) return { offset, message: habit.message };
  const isWhole = said.includes('after JSON at');
  return { offset, message: isWhole ? 'there is more after its end; a file holds one value' : said };
}

/** A wrong word is noticed inside it: `True` at its T, but `nul` and `None` later. */
function startOfWord(text: string, offset: number): number {
  if (/\s/.test(text[offset] ?? '')) return offset;
  const begun = /[\p{L}_$][\p{L}\p{N}_$]*$/u.exec(text.slice(Math.max(0, offset - 20), offset));
  const slash = text[offset - 1] === '/' ? 1 : 0;
  return offset - (begun?.[0].length ?? slash);
}

/**
 * Where a text stops being JSON, as an offset into it. Not every message of `JSON.parse` says where; but a text cut off before the
 * mistake is merely incomplete, so the shortest beginning that is more than incomplete ends with the mistake.
 */
export function jsonErrorOffset(text: string): number {
  let runnable = 0;
  let broken = text.length;
  while (broken - runnable > 1) {
    const middle = (runnable + broken) >> 1;
    if (isBroken(text.slice(0, middle))) broken = middle;
    else runnable = middle;
  }
  return isBroken(text) ? broken - 1 : text.length;
}

function isBroken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    const message = messageOf(error);
    const position = /position (\d+)/.exec(message)?.[1];
    const incomplete = /end of JSON input|Unterminated string/.test(message) || Number(position) >= text.length;
    return !incomplete;
  }
}
