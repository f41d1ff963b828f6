import { isBlank } from '../blanks.js';

const SEPARATORS = ',，;；';

/** Whether a range holds only what separates fields: blanks, commas, semicolons. */
export function isSeparation(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    if (!isBlank(text.charCodeAt(at)) && !SEPARATORS.includes(text.charAt(at))) return false;
  }
  return true;
}
