import { isInexact, type Json } from '@errand/contracts';
import type { TypedShape } from './shape-of.js';

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A double holds every integer with this number of characters, also with a sign. */
const EXACT_LENGTH = 15;

/**
 * Reads a trimmed text as an integer, number, boolean or null, as the schema allows; undefined if none fits. A number
 * that a double cannot hold is a problem, because rounding would change the call.
 */
export function readScalar(
  text: string,
  shape: TypedShape,
): { value: Json; problem?: never } | { problem: string } | undefined {
  const { types } = shape;
  const isWhole = isInteger(text) && (types.has('integer') || types.has('number'));
  if (isWhole || (types.has('number') && NUMBER.test(text))) {
    if (!(isWhole && text.length <= EXACT_LENGTH) && isInexact(text))
      return { problem: `The number ${text.slice(0, 60)} is too large to be held exactly` };
    // `+ 0` turns `-0` into 0, because JSON text cannot hold `-0`.
    return { value: Number(text) + 0 };
  }
  if ((text === 'true' || text === 'false') && types.has('boolean')) return { value: text === 'true' };
  if (text === 'null' && types.has('null') && shape.allows('null', null)) return { value: null };
  return undefined;
}

/** Whether a text is `-?\d+`. */
function isInteger(text: string): boolean {
  const start = text.startsWith('-') ? 1 : 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return text.length > start;
}
