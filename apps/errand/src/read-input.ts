import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { colour, say } from './terminal.js';
import { UsageError } from './command-line.js';

/** Standard input to its end. On a terminal it first says so. */
export async function readStdin(what: string): Promise<string> {
  if (process.stdin.isTTY) say(colour.dim(`Type ${what} here; end it with Ctrl-D.`));
  return readAll(process.stdin);
}

/** The text of a file; of standard input for `-` and undefined. @throws UsageError if the file cannot be read */
export async function readInput(file: string | undefined, what: string): Promise<string> {
  if (file === undefined || file === '-') return readStdin(what);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = { ENOENT: 'it does not exist', EISDIR: 'it is a folder' }[code ?? ''] ?? code;
    throw new UsageError(`The file '${file}' cannot be read: ${reason}`, { cause: error });
  }
}

/** @throws UsageError if `text` is not JSON, with a hint for a text without quotes */
export function requireJson(text: string, what: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    const hint = /^[\p{L}\p{N} .,!?_-]+$/u.test(text)
      ? `; a text needs quotes: '${JSON.stringify(text.slice(0, 60))}'`
      : '';
    throw new UsageError(`${what} must be JSON, not ${shown === '' ? 'empty' : shown}${hint}`, { cause: error });
  }
}

/** The number of a step. @throws UsageError for a text that is not a whole number */
export function readStep(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError(`--step must be the number of a step, from 0, not '${text}'`);
}
