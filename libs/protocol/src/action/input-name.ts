import { decodeReferences } from './decode-references.js';
import type { Element } from './markup.js';

const ATTRIBUTE = /([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=]+))/g;

/** The name that `<input name="…">` gives to its value, the only attribute that counts; undefined: this is no such element. */
export function inputName({ name, attributes }: Element): string | undefined {
  if (name !== 'input') return undefined;
  for (const [, attribute, double, single, bare] of attributes.matchAll(ATTRIBUTE)) {
    if (attribute === 'name') return decodeReferences(double ?? single ?? bare ?? '');
  }
  return undefined;
}
