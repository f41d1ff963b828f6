import { ToolError } from '@errand/contracts';
import { forbiddenCharacter } from './xml-terms.js';

/** The entities that every XML document has. There are no others without a document type. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['apos', "'"],
  ['quot', '"'],
]);

const REFERENCE = /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|([^\s&;#]{1,40}));|&/g;

/** Replaces the references of a text, such as `&lt;` and `&#233;`. Linear time. @throws ParameterValidationError */
export function decodeXmlText(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined)
      return ENTITIES.get(name) ?? refuse(`there is no entity ${whole}; write the character itself`);
    if (decimal !== undefined) return characterOf(whole, Number.parseInt(decimal, 10));
    if (hex !== undefined) return characterOf(whole, Number.parseInt(hex, 16));
    return refuse("a '&' is no reference; write &amp;");
  });
}

function characterOf(reference: string, code: number): string {
  const isValid = code <= 0x10ffff && forbiddenCharacter(String.fromCodePoint(code)) === undefined;
  return isValid ? String.fromCodePoint(code) : refuse(`${reference} is a character that XML forbids`);
}

function refuse(reason: string): never {
  throw new ToolError('ParameterValidationError', `'value' is not well-formed XML: ${reason}`);
}
