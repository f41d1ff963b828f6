import { ToolError } from '@errand/contracts';

/** The names of the parts of an element beside its child elements. */
export const ATTRIBUTE = '@_';
export const TEXT = '#text';

/** More elements and attributes than this fill the memory of a thread. */
export const MAX_PARTS = 250_000;

const START =
  ':A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD';
const NAME = new RegExp(`^[${START}][${START}\\-.\\d\\u00B7\\u0300-\\u036F\\u203F\\u2040]*$`);

/** Whether XML allows this name of an element or attribute. */
export function isXmlName(name: string): boolean {
  return NAME.test(name);
}

/** The first character that XML forbids: a control character, half of a surrogate pair, U+FFFE or U+FFFF. */
export function forbiddenCharacter(text: string): string | undefined {
  const [found] = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u.exec(text) ?? [];
  return found && `U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Counts elements and attributes. @throws ResourceLimitError above the limit */
export class PartCounter {
  private count = 0;

  add(): void {
    this.count++;
    if (this.count > MAX_PARTS)
      throw new ToolError(
        'ResourceLimitError',
        `The XML has more than ${MAX_PARTS} elements and attributes; split it into smaller documents`,
      );
  }
}
