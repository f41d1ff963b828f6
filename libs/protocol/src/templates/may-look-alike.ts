/** A word of a reference behind two braces. */
const WORD = /\s*(?:steps|job)/iy;
/** The number of characters behind a brace that are compared. */
const COMPARED = 80;
const [OPENING, CLOSING, WIDE_OPENING] = [0x7b, 0x7d, 0xff5b];
const [ZERO, NINE, UNDERSCORE, BEYOND_ASCII] = [0x30, 0x39, 0x5f, 0x80];

/**
 * Whether a text may contain a lookalike of a template: two braces before a word of a reference, or behind a brace a
 * character of a reference, or one that may become such by normalization. Most texts with braces have neither, and are
 * read once.
 */
export function mayLookAlike(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== OPENING && code !== WIDE_OPENING) continue;
    if (holdsReferenceSign(text, at + 1)) return true;
    if (text.charCodeAt(at + 1) !== OPENING) continue;
    WORD.lastIndex = at + 2;
    if (WORD.test(text)) return true;
  }
  return false;
}

/** Whether a digit, `_` or a character beyond ASCII occurs from `start` on, before any brace of ASCII. */
function holdsReferenceSign(text: string, start: number): boolean {
  const end = Math.min(text.length, start + COMPARED);
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= BEYOND_ASCII || code === UNDERSCORE || (code >= ZERO && code <= NINE)) return true;
    if (code === OPENING || code === CLOSING) return false;
  }
  return false;
}
