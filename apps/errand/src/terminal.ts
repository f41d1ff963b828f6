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

/** Makes control characters visible, except line breaks and tabs, so that the log of a script cannot control the terminal. */
export function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (char) =>
    char === '\n' || char === '\t' ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** The width for lines of the result; Infinity without a terminal. */
export const terminalWidth = (): number => (process.stdout.isTTY ? process.stdout.columns || 80 : Infinity);
