import { isBlank } from '../blanks.js';

/** Why a text is not valid markup. `final`: do not retry with raw string parameters; the message shows the fix. */
export class MarkupError extends Error {
  constructor(
    readonly at: number,
    message: string,
    readonly final: boolean = false,
  ) {
    super(message);
  }
}

/** The code units of the characters that markup consists of. */
export const LESS = 0x3c;
export const GREATER = 0x3e;
export const SLASH = 0x2f;
const EXCLAMATION = 0x21;
const QUESTION = 0x3f;
const [QUOTE, APOSTROPHE, EQUALS, UNDERSCORE] = [0x22, 0x27, 0x3d, 0x5f];

/** The first letter of a name. It distinguishes a tag from a literal `<`. */
const NAME_START = /[\p{L}_]/uy;

/** Whether a name begins at this offset. */
export function nameStartsAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0x80) return isLetter(code) || code === UNDERSCORE;
  NAME_START.lastIndex = at;
  return NAME_START.test(text);
}

/** Whether a code unit is a letter of ASCII. */
export function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Whether a code unit behind `<` begins a comment, CDATA, a declaration or an instruction. */
export function beginsDelimited(code: number): boolean {
  return code === EXCLAMATION || code === QUESTION;
}

/** The offset behind the name of a tag that begins at `from`. A name is anything but blanks and `<>="'`. */
export function findNameEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && isOfName(text.charCodeAt(at))) at++;
  return at;
}

function isOfName(code: number): boolean {
  if (isLetter(code)) return true;
  if (code === LESS || code === GREATER || code === EQUALS || code === QUOTE || code === APOSTROPHE) return false;
  return !isBlank(code);
}

/** The offset of the `>` that ends a tag, past quoted attribute values; -1 if `<` or the end comes first. */
export function findTagEnd(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === GREATER) return at;
    if (code === LESS) return -1;
    if (code === QUOTE || code === APOSTROPHE) {
      at = text.indexOf(text.charAt(at), at + 1);
      if (at === -1 || at >= to) return -1;
    }
  }
  return -1;
}
