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
import { hasDuplicateKey } from './duplicate-key.js';
import { explainJsonError } from './explain-json-error.js';
import { placesIn } from './json-places.js';
import { keysOf } from './json-pointer.js';
import type { LibraryProblem } from './library-problem.js';
import type { Place, SourceFile } from './source-file.js';
import { messageOf } from './thrown.js';

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

function startOf(fault: unknown): Partial<Place> {
  const start = fault instanceof YAMLParseError || fault instanceof YAMLWarning ? fault.linePos?.[0] : undefined;
  return start ? { line: start.line, column: start.col } : {};
}

function firstLine(message: string): string {
  if (message.includes('call stack')) return 'it nests too deep';
  if (message.includes('multiple documents')) return "it holds more than one document; take out the line '---'";
  return message.split(/ at line \d|\n/, 1)[0]!;
}

/** A property's place is its key, an item's is the item. */
function placeIn(document: Document, lines: LineCounter, pointer: string): Place | undefined {
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

function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
