/** A character of a key: a letter of any script, a digit or `_`. */
const WORD = /[\p{L}\p{M}\p{N}_]/u;
/** The name of a field: letters of any script, digits and `_`, without a digit first. */
export const KEY = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u;

/** Returns the offset before the run of key characters that ends at `to`. It keeps surrogate pairs together. */
export function skipWordBack(text: string, from: number, to: number): number {
  let at = to;
  while (at > from) {
    const code = text.charCodeAt(at - 1);
    const width = code >= 0xdc00 && code <= 0xdfff && at - 2 >= from ? 2 : 1;
    if (!(code < 0x80 ? isWord(code) : WORD.test(text.slice(at - width, at)))) break;
    at -= width;
  }
  return at;
}

/** Whether a run of key characters is a key: it is not empty and begins with no digit. */
export function isKey(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) return KEY.test(text.slice(start, end));
    if (!isWord(code) || (at === start && isDigit(code))) return false;
  }
  return start < end;
}

/** A key without case and underscores. `__proto__` stays as it is, so that it never equals a declared name. */
export function foldKey(key: string): string {
  if (isFolded(key) || key === '__proto__') return key;
  return key.toLowerCase().replaceAll('_', '');
}

/** Whether folding leaves a key as it is. */
function isFolded(key: string): boolean {
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at);
    if (!(code >= 0x61 && code <= 0x7a) && !isDigit(code)) return false;
  }
  return true;
}

export function endsWithDigit(key: string): boolean {
  return isDigit(key.charCodeAt(key.length - 1));
}

/** The number of digits at the end of a key, at most `most`. */
export function countLastDigits(key: string, most: number): number {
  let count = 0;
  while (count < most && count < key.length && isDigit(key.charCodeAt(key.length - 1 - count))) count++;
  return count;
}

function isWord(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || isDigit(code) || code === 0x5f;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
