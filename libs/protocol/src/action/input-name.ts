import { decodeReferences } from './decode-references.js';
import type { Element } from './markup.js';

const ATTRIBUTE = /([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=]+))/g;

/** The name that `<input name="…">` gives to its value, the only attribute that counts; undefined: it is no such element, or has two names. */
export function inputName({ name, attributes }: Element): string | undefined {
  if (name !== 'input') return undefined;
  const names = [...attributes.matchAll(ATTRIBUTE)].filter(([, attribute]) => attribute === 'name');
  const [only] = names;
  return only && names.length === 1 ? decodeReferences(only[2] ?? only[3] ?? only[4] ?? '') : undefined;
}
