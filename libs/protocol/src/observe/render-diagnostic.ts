import type { TextPosition } from '../positions.js';

const COLUMNS = 100;
const RED = 31;
const YELLOW = 33;
const CYAN = 36;

/** A problem or a warning with its position. A warning has no `kind`. */
export interface Diagnostic extends TextPosition {
  message: string;
  kind?: string;
  suggestion?: string | undefined;
}

/**
 * Renders a problem like a compiler does: the problem, the position, the line with a caret, and the suggestion. Control
 * characters are replaced by pictures, so that a terminal can show the text. A long line is cut around the column.
 */
export function renderDiagnostic(
  text: string,
  problem: Diagnostic,
  { color = false }: { color?: boolean } = {},
): string {
  const paint = (code: number, part: string) => (color ? `\u001b[${code}m${part}\u001b[0m` : part);
  const { kind, message, line, column, suggestion } = problem;
  const { shown, caret } = excerpt(lineOf(text, line), column - 1);
  const gutter = ' '.repeat(`${line}`.length);
  return [
    `${paint(kind ? RED : YELLOW, kind ?? 'warning')}: ${harmless(message)}`,
    `${gutter}${paint(CYAN, '-->')} line ${line}, column ${column}`,
    `${paint(CYAN, `${line} |`)} ${shown}`,
    `${gutter} ${paint(CYAN, '|')} ${caret}${paint(kind ? RED : YELLOW, '^')}`,
    ...(suggestion === undefined ? [] : [`${gutter} ${paint(CYAN, '=')} did you mean '${harmless(suggestion)}'?`]),
  ].join('\n');
}

function lineOf(text: string, line: number): string {
  let start = 0;
  for (let number = 1; number < line; number++) {
    const next = text.indexOf('\n', start);
    if (next === -1) break;
    start = next + 1;
  }
  const end = text.indexOf('\n', start);
  return text.slice(start, end === -1 ? text.length : end).replace(/\r$/, '');
}

function excerpt(line: string, column: number): { shown: string; caret: string } {
  const from = column > COLUMNS - 20 ? column - COLUMNS / 2 : 0;
  const lead = from > 0 ? '…' : '';
  const part = harmless(line.slice(from, from + COLUMNS));
  const before = lead + harmless(line.slice(from, column));
  return { shown: lead + part + (from + COLUMNS < line.length ? '…' : ''), caret: before.replace(/[^]/gu, blankOf) };
}

/** Returns blanks for the cells of a character in a terminal: two for wide East Asian ones. */
function blankOf(char: string): string {
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u.test(
    char,
  )
    ? '  '
    : ' ';
}

function harmless(text: string): string {
  return text
    .replaceAll('\t', ' ')
    .replace(/\p{Cc}/gu, (char) => (char < ' ' ? String.fromCharCode(0x2400 + char.charCodeAt(0)) : '\ufffd'))
    .replace(/\p{Bidi_Control}/gu, '\ufffd');
}
