import { memberOf, nodeAt, parseTree, type JsonNode, type JsonPath } from './json-tree.js';

const INDENT = '  ';

/*
 * Edits change one place of a JSON text and leave every other character as it is, so that the form can neither drop a field nor rewrite a
 * number that it does not show.
 */

/**
 * The text with a value at a path. A new key comes last, and objects above it that are missing are made. `raw` is the JSON text of the
 * value.
 */
export function setAt(text: string, path: JsonPath, raw: string): string {
  if (path.length === 0) return raw;
  const root = text.trim() === '' ? undefined : parseTree(text);
  const present = nodeAt(root, path);
  if (present) return splice(text, present.from, present.to, indented(raw, indentAt(text, present.from)));
  const above = path.slice(0, -1);
  const parent = nodeAt(root, above);
  const key = path.at(-1);
  if (parent?.kind === 'array') return append(text, parent, '', raw);
  if (typeof key !== 'string') return text;
  const begin = `${JSON.stringify(key)}: `;
  if (parent?.kind === 'object') return append(text, parent, begin, raw);
  return parent ? text : setAt(text, above, `{\n${INDENT}${begin}${indented(raw, INDENT)}\n}`);
}

/** The text without the value at a path, and without its key. */
export function removeAt(text: string, path: JsonPath): string {
  const root = parseTree(text);
  const parent = nodeAt(root, path.slice(0, -1));
  const last = path.at(-1);
  const parts = parent ? partsOf(parent) : [];
  const index =
    parent?.kind === 'object' ? parent.members.findLastIndex(({ key }) => key === last) : Number(last ?? Number.NaN);
  const part = parts[index];
  if (!parent || !part) return text;
  if (parts.length === 1) return splice(text, parent.from + 1, parent.to - 1, '');
  const next = parts[index + 1];
  if (next) return splice(text, part.from, next.from, '');
  return splice(text, parts[index - 1]?.to ?? part.from, part.to, '');
}

/** The text in which an item of a list and the next one have changed places. */
export function swapWithNext(text: string, path: JsonPath, index: number): string {
  const list = nodeAt(parseTree(text), path);
  const [one, other] = list?.kind === 'array' ? [list.items[index], list.items[index + 1]] : [];
  if (!one || !other) return text;
  const [first, second] = [text.slice(one.from, one.to), text.slice(other.from, other.to)];
  return splice(splice(text, other.from, other.to, first), one.from, one.to, second);
}

/** The text in which a member has another key. A key that exists already stays as it is. */
export function renameKey(text: string, path: JsonPath, key: string): string {
  const parent = nodeAt(parseTree(text), path.slice(0, -1));
  const member = memberOf(parent, String(path.at(-1)));
  if (!member || memberOf(parent, key)) return text;
  const end = text.indexOf(':', member.from + JSON.stringify(member.key).length - 1);
  return splice(text, member.from, end, JSON.stringify(key));
}

/** The parts between the commas of a list or object. */
function partsOf(node: JsonNode): { from: number; to: number }[] {
  if (node.kind === 'object') return node.members.map(({ from, value }) => ({ from, to: value.to }));
  return node.kind === 'array' ? [...node.items] : [];
}

function append(text: string, parent: JsonNode, before: string, raw: string): string {
  const last = partsOf(parent).at(-1);
  const outer = indentAt(text, parent.from);
  const inner = last ? indentAt(text, last.from) : outer + INDENT;
  const isOneLine = last !== undefined && !text.slice(parent.from, parent.to).includes('\n');
  const part = before + indented(raw, inner);
  if (isOneLine) return splice(text, last.to, last.to, `, ${part}`);
  if (last) return splice(text, last.to, last.to, `,\n${inner}${part}`);
  return splice(text, parent.from + 1, parent.to - 1, `\n${inner}${part}\n${outer}`);
}

function splice(text: string, from: number, to: number, by: string): string {
  return text.slice(0, from) + by + text.slice(to);
}

/** The blanks at the beginning of the line of a position. */
function indentAt(text: string, position: number): string {
  const line = text.lastIndexOf('\n', position - 1) + 1;
  return /^[\t ]*/.exec(text.slice(line, position))?.[0] ?? '';
}

/** A JSON text has line feeds only between values, so that each line can be moved. */
function indented(raw: string, indent: string): string {
  return raw.replaceAll('\n', `\n${indent}`);
}
