import { createColors } from 'picocolors';

/**
 * Colour only where a person looks, and none where they asked for none. Never undefined, as `isTTY` of a pipe is:
 * picocolors would take that as leave to decide by itself, and under CI it decides for colours.
 */
export const isColourful = [process.stdout, process.stderr].every(({ isTTY }) => isTTY) && !process.env['NO_COLOR'];
export const colour = createColors(isColourful);

/** A line to the person at the terminal; stdout belongs to answers. */
export const say = (text = ''): void => void process.stderr.write(`${text}\n`);
/** A line of the answer. */
export const print = (text = ''): void => void process.stdout.write(`${text}\n`);

/** Control characters made visible, but for line breaks and tabs: what a script logs may not drive the terminal. */
export function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (char) =>
    char === '\n' || char === '\t' ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** How wide the lines of an answer may be; without end where no person looks. */
export const terminalWidth = (): number => (process.stdout.isTTY ? process.stdout.columns || 80 : Infinity);
