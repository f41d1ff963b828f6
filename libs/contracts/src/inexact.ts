/**
 * The first number in a JSON text that a double cannot represent: `JSON.parse` would return another number. The text must be valid JSON.
 * A text without long numbers needs only one regular expression.
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

/** Whether a number in JSON is an integer that a double cannot represent, or exceeds the largest double (1e999). */
export function isInexact(numeral: string): boolean {
  const value = Number(numeral);
  if (Number.isNaN(value)) return false;
  if (!Number.isFinite(value)) return true;
  if (/[eE]/.test(numeral) || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false;
  // JavaScript reads a large number without loss if the text is the one that it writes for that number.
  return numeral !== String(value);
}
