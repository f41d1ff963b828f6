import { DIALECT_NAMES, DIALECTS, ESCAPE } from '../tam/dialects.js';

/** Control, format and surrogate characters that hide or reorder text. Line breaks and tabs stay. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Tags that have a meaning in a text of a model or in a prompt. */
const TAGS = String.raw`<(?=/?(?:action|observation|think)\b)|<(?=!--|!\[CDATA\[)`;
const MARKS = [
  ...DIALECT_NAMES.flatMap((name) => [
    DIALECTS[name].blockStart,
    DIALECTS[name].blockEnd,
    DIALECTS[name].open,
    DIALECTS[name].close,
  ]),
  ESCAPE.open,
  ESCAPE.close,
];
const FENCES = '`(?=``)|~(?=~~)';
const MARKERS = new RegExp(
  [TAGS, ...new Set(MARKS.map((mark) => `${literal(mark.slice(0, 1))}(?=${literal(mark.slice(1))})`)), FENCES].join(
    '|',
  ),
  'giu',
);

/**
 * Shows text of another program so that it cannot begin a block, a thought or a fence in a prompt: the first character
 * of each marker and each hidden character is written as `\uXXXX`. Other text is unchanged. Linear time.
 */
export function escapeForeignText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, escapeChar).replace(MARKERS, escapeChar);
}

function escapeChar(char: string): string {
  return Array.from({ length: char.length }, (_, n) => `\\u${char.charCodeAt(n).toString(16).padStart(4, '0')}`).join(
    '',
  );
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
