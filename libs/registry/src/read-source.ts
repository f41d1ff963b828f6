import { readFile, stat } from 'node:fs/promises';
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  YAMLParseError,
  type Document,
} from 'yaml';
import { hasDuplicateKey } from './duplicate-key.js';
import { jsonErrorOffset } from './json-error-offset.js';
import { keysOf } from './json-pointer.js';
import type { LibraryProblem, Report } from './library-problem.js';
import type { Place, SourceFile } from './source-file.js';
import { messageOf } from './thrown.js';

const MAX_BYTES = 8 * 1024 * 1024;

/** Reads a `.json` or `.yaml` file. What cannot be read or parsed is reported, with its place, and gives undefined. */
export async function readSource(file: string, report: Report): Promise<SourceFile | undefined> {
  let text: string;
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) throw new Error(`it has ${size} bytes; at most ${MAX_BYTES} are read`);
    text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    report({ file, message: `The file cannot be opened: ${messageOf(error)}` });
    return undefined;
  }
  const parsed = file.endsWith('.json') ? parseJson(text) : parseYaml(text);
  if ('value' in parsed) return { file, ...parsed };
  report({ file, ...parsed });
  return undefined;
}

type Parsed = Omit<SourceFile, 'file'> | Omit<LibraryProblem, 'file'>;

function parseJson(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text);
    // Positions are rarely asked for: only then is the text parsed with them. JSON is YAML.
    return hasDuplicateKey(text, value)
      ? parseYaml(text)
      : { value, place: (pointer) => placeIn(...documentOf(text), pointer) };
  } catch (error) {
    const [line, column] = linePosition(text, jsonErrorOffset(text));
    return { line, column, message: `The file is not valid JSON: ${messageOf(error)}` };
  }
}

/** Keys that stand twice in one object are mistakes here. */
function parseYaml(text: string): Parsed {
  const [document, lines] = documentOf(text);
  const fault = document.errors[0] ?? faultOfAliases(document);
  if (!fault) return { value: document.toJS(), place: (pointer) => placeIn(document, lines, pointer) };
  const start = fault instanceof YAMLParseError ? fault.linePos?.[0] : undefined;
  const [summary] = fault.message.split(/ at line \d/, 1);
  return { ...(start && { line: start.line, column: start.col }), message: `The file cannot be read: ${summary}` };
}

/** Aliases that multiply (a "billion laughs") are refused by the library when it resolves them. */
function faultOfAliases(document: Document): Error | undefined {
  try {
    document.toJS();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function documentOf(text: string): [Document, LineCounter] {
  const lines = new LineCounter();
  return [parseDocument(text, { lineCounter: lines, prettyErrors: true }), lines];
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

function linePosition(text: string, offset: number): [line: number, column: number] {
  const before = text.slice(0, offset).split('\n');
  return [before.length, before.at(-1)!.length + 1];
}
