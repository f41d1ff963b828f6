/** A word of a reference behind two braces. */
const WORD = /\s*(?:steps|job)/iy;
/** A character of a reference, one that may become such by normalization, or the next brace. */
const SIGN = /[\d_\x80-\uffff{}]/g;
/** The number of characters behind a brace in which a reference begins. */
const REACH = 80;

/**
 * Whether a text may contain a lookalike of a template: two braces before a word of a reference, a character of a
 * reference soon behind a brace, or a wide brace. Most texts with braces have neither, and are read once.
 */
export function mayLookAlike(text: string): boolean {
  if (text.includes('｛')) return true;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    if (signFollows(text, at + 1)) return true;
    WORD.lastIndex = at + 2;
    if (text.startsWith('{', at + 1) && WORD.test(text)) return true;
  }
  return false;
}

function signFollows(text: string, start: number): boolean {
  SIGN.lastIndex = start;
  if (!SIGN.test(text) || SIGN.lastIndex > start + REACH) return false;
  const found = text.charAt(SIGN.lastIndex - 1);
  return found !== '{' && found !== '}';
}
