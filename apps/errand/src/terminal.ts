import { once } from 'node:events';
import { createColors } from 'picocolors';

/**
 * Whether output is coloured: only on a terminal, and not with NO_COLOR. The value is never undefined (`isTTY` of a pipe is): with
 * undefined, picocolors decides itself, and under CI it uses colours.
 */
export const isColourful = [process.stdout, process.stderr].every(({ isTTY }) => isTTY) && !process.env['NO_COLOR'];
export const colour = createColors(isColourful);

/** Writes a line for the person at the terminal to stderr, because stdout is for results. */
export const say = (text = ''): void => void process.stderr.write(`${text}\n`);
/** Writes a line of the result to stdout. */
export const print = (text = ''): void => void process.stdout.write(`${text}\n`);

/**
 * Makes control characters visible, except line breaks and tabs, so that the log of a script cannot control the terminal. Characters that
 * reverse the direction of text count as control characters.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (char) => {
    if (char === '\n' || char === '\t') return char;
    const code = char.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`;
  });
}

/** Writes JSON on a line of the result. */
export const printJson = (value: unknown): void => print(jsonText(value));

/** A value as JSON in which characters that could control a terminal are escaped. The value stays the same. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Writes a part of the result as it is, and waits until the reader takes it. A terminal gets it with visible control characters. */
export async function printPart(text: string): Promise<void> {
  const shown = process.stdout.isTTY ? escapeControls(text) : text;
  if (!process.stdout.write(shown)) await once(process.stdout, 'drain');
}

/** The width for lines of the result; Infinity without a terminal. */
export const terminalWidth = (): number => (process.stdout.isTTY ? process.stdout.columns || 80 : Infinity);

/** A text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
