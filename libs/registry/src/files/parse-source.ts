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
import { keysOf } from './json-pointer.js';
import type { LibraryProblem } from './library-problem.js';
import { parseJson, type ParsedText } from './parse-json.js';
import type { FilePosition, SourceFile } from './source-file.js';
import { messageOf } from '../plugins/thrown-values.js';

/** YAML takes about 100 times as long to parse as JSON. */
const MAX_YAML_LENGTH = 1024 * 1024;

/**
 * Parses a `.json` or `.yaml` file. Returns the value with its positions, or the problem of its text. A duplicate key
 * is a problem in both formats.
 */
export function parseSource(file: string, text: string): SourceFile | LibraryProblem {
  if (text.trim() === '') return { file, message: 'The file is empty' };
  const parsed = file.endsWith('.json') ? parseJson(text) : parseYaml(text);
  if ('message' in parsed) return { file, ...parsed };
  const { faults, ...source } = parsed;
  return { file, ...source, problems: faults.map((fault) => ({ file, ...fault })) };
}

/** JSON is YAML as well, and is parsed about 100 times as fast: the build writes the manifest of the built-in plugin as JSON. */
function parseYaml(text: string): ParsedText {
  if (text.length > MAX_YAML_LENGTH) {
    return { message: `The file has ${text.length} characters; at most ${MAX_YAML_LENGTH} are read` };
  }
  const json = text.startsWith('{') ? parseJson(text) : undefined;
  if (json && 'value' in json && json.faults.length === 0) return json;
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
    const [fault] = document.errors.filter(({ code }) => code !== 'DUPLICATE_KEY');
    if (fault) return { ...startOf(fault), message: `The file cannot be read: ${firstLine(fault.message)}` };
    const faults = [...document.errors, ...document.warnings].map((each) => ({
      ...startOf(each),
      message: `The file cannot be read as it is meant: ${firstLine(each.message)}`,
    }));
    return { value: document.toJS(), positionOf: (pointer) => positionIn(document, lines, pointer), faults };
  } catch (error) {
    // Aliases that multiply ("billion laughs").
    return { message: `The file cannot be read: ${firstLine(messageOf(error))}` };
  }
}

function startOf(fault: unknown): Partial<FilePosition> {
  const start = fault instanceof YAMLParseError || fault instanceof YAMLWarning ? fault.linePos?.[0] : undefined;
  return start ? { line: start.line, column: start.col } : {};
}

function firstLine(message: string): string {
  if (message.includes('call stack')) return 'it nests too deep';
  if (message.includes('multiple documents')) return "it holds more than one document; remove the line '---'";
  return message.split(/ at line \d|\n/, 1)[0]!;
}

/** The position of the key of a property, or of an item. */
function positionIn(document: Document, lines: LineCounter, pointer: string): FilePosition | undefined {
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
