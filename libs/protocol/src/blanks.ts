/** Whether a UTF-16 code unit is a blank: what `\s` matches and `trim` removes. */
export function isBlank(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13);
  return code >= 0xa0 && isWideBlank(code);
}

function isWideBlank(code: number): boolean {
  if (code >= 0x2000 && code <= 0x200a) return true;
  return (
    code === 0xa0 ||
    code === 0x1680 ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/** Returns the offset of the first character from `from` on that is not a blank, or `to`. */
export function skipBlanks(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** Returns the offset behind the last character before `to` that is not a blank, or `from`. */
export function skipBlanksBack(text: string, from: number, to: number): number {
  let at = to;
  while (at > from && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}
