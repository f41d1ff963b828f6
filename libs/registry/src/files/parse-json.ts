import { parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { messageOf } from '../plugins/thrown-values.js';
import { keysOf } from './json-pointer.js';
import type { LibraryProblem } from './library-problem.js';
import type { SourceFile, FilePosition } from './source-file.js';

type Fault = Omit<LibraryProblem, 'file'>;

/** The value and the positions of a text, and the problems of a text that can be read; or the problem of one that cannot. */
export type ParsedText = (Omit<SourceFile, 'file' | 'problems'> & { faults: Fault[] }) | Fault;

/** Parses the text of a `.json` file. A syntax tree with positions is built only when a problem needs it. */
export function parseJson(text: string): ParsedText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const { offset, message } = explainJsonError(text, messageOf(error));
    return { ...positionAt(text, offset), message: `The file is not valid JSON: ${message}` };
  }
  const duplicates = hasDuplicateKey(text, value) ? duplicateKeys(treeOf(text)) : [];
  const faults = duplicates.map(({ key, offset }) => ({
    ...positionAt(text, offset),
    message: `The file has the field '${key}' twice; a field must be unique`,
  }));
  let tree: Node | undefined;
  return {
    value,
    faults,
    positionOf: (pointer) => {
      tree ??= treeOf(text);
      return positionAt(text, tree ? offsetAt(tree, pointer) : text.search(/\S/));
    },
  };
}

/** The syntax tree; undefined for a text that nests too deep for the parser, which is recursive. */
function treeOf(text: string, errors: ParseError[] = []): Node | undefined {
  try {
    return parseTree(text, errors, { disallowComments: true });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The offset of the value at a pointer, or of its nearest ancestor. The offset of a property is that of its key. */
function offsetAt(tree: Node, pointer: string): number {
  let node = tree;
  let { offset } = tree;
  for (const key of keysOf(pointer)) {
    const property = node.type === 'object' ? node.children?.findLast((child) => keyOf(child) === key) : undefined;
    const child = node.type === 'array' ? node.children?.[Number(key)] : property?.children?.[1];
    if (!child) break;
    offset = (property ?? child).offset;
    node = child;
  }
  return offset;
}

function keyOf(property: Node): string {
  return String(property.children?.[0]?.value);
}

function positionAt(text: string, offset: number): FilePosition {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

const STRING = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/**
 * Whether an object of a JSON text has a key twice. `JSON.parse` keeps the last one without an error, so the text then has
 * more keys than its value. This is much cheaper than a syntax tree.
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

const MAX_DUPLICATES = 20;

/** The first 20 keys that occur a second time in their object, in the order of the text. */
function duplicateKeys(tree: Node | undefined): { key: string; offset: number }[] {
  const found: { key: string; offset: number }[] = [];
  const open = tree ? [tree] : [];
  for (let node = open.pop(); node && found.length < MAX_DUPLICATES; node = open.pop()) {
    const keys = new Set<string>();
    for (const child of node.type === 'object' ? (node.children ?? []) : []) {
      const key = keyOf(child);
      if (keys.has(key)) found.push({ key, offset: child.offset });
      keys.add(key);
    }
    open.push(...(node.children ?? []).toReversed());
  }
  return found.toSorted((a, b) => a.offset - b.offset).slice(0, MAX_DUPLICATES);
}

/** Common mistakes: `rest` matches the text from the mistake on, `before` the text in front of it. */
const MISTAKES: readonly { rest: RegExp; before?: RegExp; message: string }[] = [
  { rest: /^(?:\/[/*]|#)/, message: 'JSON has no comments; remove this one' },
  { rest: /^[}\]]/, before: /,\s*$/, message: 'there is one comma too many before this bracket' },
  { rest: /^'/, message: 'strings and keys must be in double quotes' },
  {
    rest: /^(?:true|false|none|null|undefined|nan|[-+]?infinity)\b/i,
    message: 'the keywords of JSON are true, false and null',
  },
  { rest: /^[\p{L}_$][\p{L}\p{N}_$]*\s*:/u, message: 'keys must be in double quotes' },
  { rest: /^"/, before: /["\]}\dael]\s*$/, message: 'there is a comma missing before this' },
  { rest: /^[\t\r\n]/, message: 'a string ends on its line; write a line break in it as \\n, a tab as \\t' },
  { rest: /^$/, message: 'it ends too early; a bracket or a quotation mark is missing' },
];

/** Explains why a text is not JSON. A mistake that is not in the table is explained by `message`, the one of `JSON.parse`. */
function explainJsonError(text: string, message: string): { offset: number; message: string } {
  const { offset, code } = findJsonError(text);
  const rest = text.slice(offset, offset + 40);
  const before = text.slice(Math.max(0, offset - 200), offset);
  const known = MISTAKES.find((mistake) => mistake.rest.test(rest) && (mistake.before?.test(before) ?? true));
  if (known) return { offset, message: known.message };
  const isComplete = code === 'EndOfFileExpected';
  return { offset, message: isComplete ? 'there is more after its end; a file holds one value' : message };
}

/** The offset and code of the first error; the end of the text if it nests too deep for the parser. */
export function findJsonError(text: string): { offset: number; code?: string } {
  const errors: ParseError[] = [];
  treeOf(text, errors);
  const [first] = errors;
  if (!first) return { offset: text.length };
  const code = printParseErrorCode(first.error);
  // The parser gives the start of the string.
  const isInString = code === 'UnexpectedEndOfString' || code === 'InvalidCharacter';
  const more = isInString ? text.slice(first.offset).search(/[^\x20-\uffff]|$/) : 0;
  return { offset: first.offset + more, code };
}
