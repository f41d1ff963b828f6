import type { Attribute } from '../values/value-source.js';
import { decodeReferences } from './decode-references.js';
import type { Element } from './element.js';

const ATTRIBUTE = /\s*([^\s=<>"'/]+)(?:\s*=(?:\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?)?(?=\s|$)/y;
/** Quotation marks that XML does not accept. */
const TYPOGRAPHIC = /^[“”„‟‘’‚«»‹›＂＇`´「」]/u;

/** The attributes of a start tag, or why they cannot be read. */
interface Attributes {
  list: readonly Attribute[];
  fault?: string;
}

const MAX_ATTRIBUTES = 100;
const NONE: Attributes = { list: [] };

/** Reads the text between the name of a tag and its `>`. References in values are decoded once. */
export function readAttributes(text: string): Attributes {
  const written = text.trim();
  if (written === '') return NONE;
  const list: Attribute[] = [];
  const names = new Set<string>();
  ATTRIBUTE.lastIndex = 0;
  while (ATTRIBUTE.lastIndex < written.length) {
    const at = ATTRIBUTE.lastIndex;
    const [found, name, double, single, bare] = ATTRIBUTE.exec(written) ?? [];
    if (name === undefined || TYPOGRAPHIC.test(bare ?? '')) {
      const shown = (found ?? written.slice(at)).trim().slice(0, 40);
      return { list, fault: `'${shown}' is not an attribute; write name="value"` };
    }
    if (list.length === MAX_ATTRIBUTES) return { list, fault: `there are more than ${MAX_ATTRIBUTES}` };
    if (names.has(name)) return { list, fault: `the attribute '${name.slice(0, 40)}' is given twice` };
    names.add(name);
    const value = double ?? single ?? bare;
    list.push({ name, ...(value !== undefined && { value: decodeReferences(value) }) });
  }
  return { list };
}

/** The name in `<input name="…">`; undefined if there is none or two. */
export function inputName({ name, attributes }: Element): string | undefined {
  if (name !== 'input') return undefined;
  const { list, fault } = readAttributes(attributes);
  return fault === undefined ? list.find((one) => one.name === 'name')?.value : undefined;
}
