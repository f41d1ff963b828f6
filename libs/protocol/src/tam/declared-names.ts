import type { JsonSchema, ToolInterface } from '@errand/contracts';
import { shapeOf } from '../values/shape-of.js';
import { endsWithDigit, foldKey } from './key-spelling.js';

const NONE: readonly never[] = [];

/** The names that a tool declares, as keys may spell them. */
export class DeclaredNames {
  private readonly exact = new Map<string, readonly string[]>();
  private readonly folded = new Map<string, string[]>();
  /** Whether a name may end with a digit. If none does, a key with a number is no name. */
  readonly holdsNumbered: boolean;

  constructor(names: readonly string[]) {
    this.holdsNumbered = names.some((name) => endsWithDigit(name) || endsWithDigit(foldKey(name)));
    for (const name of names) {
      this.exact.set(name, [name]);
      const alike = this.folded.get(foldKey(name));
      if (alike) alike.push(name);
      else this.folded.set(foldKey(name), [name]);
    }
  }

  /** The declared names that a key may mean: the exact spelling, else all names that are equal when folded. */
  find(key: string): readonly string[] {
    if (!this.holdsNumbered && endsWithDigit(key)) return NONE;
    const exact = this.exact.get(key);
    if (exact) return exact;
    const fold = foldKey(key);
    return fold === '' ? NONE : (this.folded.get(fold) ?? NONE);
  }
}

const known = new WeakMap<JsonSchema, DeclaredNames>();

/** The names of a tool. They are listed once for each tool. */
export function namesOf({ parameters }: ToolInterface): DeclaredNames {
  let names = known.get(parameters);
  if (!names) {
    names = new DeclaredNames(shapeOf(parameters, parameters).names);
    known.set(parameters, names);
  }
  return names;
}
