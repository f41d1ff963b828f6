import type { ToolInterface } from '@errand/contracts';
import { shapeOf } from '../values/shape-of.js';

/** A key without case and underscores. `__proto__` stays as it is, so that it never equals a declared name. */
export function foldKey(key: string): string {
  if (!FOLDS.test(key) || key === '__proto__') return key;
  return key.toLowerCase().replaceAll('_', '');
}

/** A key that folding changes has one of these. Most keys have none. */
const FOLDS = /[^a-z\d]/;

const folded = new WeakMap<object, Map<string, string[]>>();

/** The declared names that a key may mean: the exact spelling, else all names that are equal when folded. */
export function declaredNames(tool: ToolInterface, key: string): string[] {
  const { names } = shapeOf(tool.parameters, tool.parameters);
  if (names.includes(key)) return [key];
  let byFold = folded.get(tool.parameters);
  if (!byFold) {
    byFold = new Map();
    for (const name of names) byFold.set(foldKey(name), [...(byFold.get(foldKey(name)) ?? []), name]);
    folded.set(tool.parameters, byFold);
  }
  const fold = foldKey(key);
  return fold === '' ? [] : (byFold.get(fold) ?? []);
}

/** A key split into a name and a step number: `query12` is `query1` + 2 and `query` + 12. */
interface Split {
  name: string;
  number: string;
}

/** Returns every split of the digits at the end of a key. Numbers lose leading zeros. */
export function splitsOf(key: string): Split[] {
  const digits = /\d{1,20}$/.exec(key)?.[0].length ?? 0;
  const splits: Split[] = [];
  for (let length = 1; length <= digits && length < key.length; length++) {
    splits.push({ name: key.slice(0, -length), number: plainNumber(key.slice(-length)) });
  }
  return splits;
}

/** The number without leading zeros. Command numbers are only compared, so their size does not matter. */
function plainNumber(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
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
