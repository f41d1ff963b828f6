/**
 * The first number in a text, which is known to be JSON, that a double does not hold: `JSON.parse` would give another one. A text without
 * such long numerals costs one quick look.
 */
export function findInexact(text: string): string | undefined {
  if (!/\d{16}|\d[eE]\+?\d{3}/.test(text)) return undefined;
  const marks = /["\\]|-?\d[\d.eE+-]*/g;
  let isString = false;
  for (let mark = marks.exec(text)?.[0]; mark !== undefined; mark = marks.exec(text)?.[0]) {
    if (mark === '"') isString = !isString;
    else if (mark === '\\') marks.lastIndex += 1;
    else if (!isString && isInexact(mark)) return mark;
  }
  return undefined;
}

/** Whether a numeral means a whole number that no double is, or one that is beyond them all (1e999). */
export function isInexact(numeral: string): boolean {
  const value = Number(numeral);
  if (Number.isNaN(value)) return false;
  if (!Number.isFinite(value)) return true;
  if (/[eE]/.test(numeral) || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false;
  // As JavaScript writes one of its own large numbers, it reads it.
  return numeral !== String(value);
}
