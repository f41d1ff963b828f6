import { countLastDigits, foldKey } from './key-spelling.js';

/** A key split into a name and a step number: `query12` is `query1` + 2 and `query` + 12. */
interface Split {
  name: string;
  number: string;
}

const MAX_DIGITS = 20;

/**
 * Returns every split of the digits at the end of a key. Numbers lose leading zeros.
 * @param isWhole whether no name ends with a digit, so that all digits are the number
 */
export function splitsOf(key: string, isWhole = false): Split[] {
  const digits = countLastDigits(key, MAX_DIGITS);
  const splits: Split[] = [];
  for (let length = isWhole && digits > 0 ? digits : 1; length <= digits && length < key.length; length++) {
    splits.push({ name: key.slice(0, -length), number: plainNumber(key.slice(-length)) });
  }
  return splits;
}

/** The number without leading zeros. Command numbers are only compared, so their size does not matter. */
function plainNumber(digits: string): string {
  return digits.startsWith('0') ? digits.replace(/^0+(?=\d)/, '') : digits;
}

/** The step number of a command key (`command2`, `command_2`), `''` if it has no number, undefined for other keys. */
export function commandNumber(key: string, command: string): string | undefined {
  const fold = foldKey(key);
  const stem = foldKey(command);
  if (!fold.startsWith(stem)) return undefined;
  const rest = fold.slice(stem.length);
  return /^\d*$/.test(rest) ? plainNumber(rest) : undefined;
}

/** Compares step numbers of any length. */
export function compareNumbers(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}
