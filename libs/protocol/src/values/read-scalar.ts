import { isInexact, type Json } from '@errand/contracts';
import type { JsonType, Shape } from './shape-of.js';

const INTEGER = /^-?\d+$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Reads a trimmed text as an integer, a number, a boolean or null, whichever the schema asks for; undefined: as none of them.
 * A numeral that a double can't hold is a problem: rounding would run something other than what was meant.
 */
export function readScalar(
  text: string,
  shape: Shape,
): { value: Json; problem?: never } | { problem: string } | undefined {
  const fits = (type: JsonType, value: Json) => shape.types!.has(type) && shape.allows(type, value);
  for (const type of ['integer', 'number'] as const) {
    if (!shape.types!.has(type) || !(type === 'integer' ? INTEGER : NUMBER).test(text)) continue;
    if (isInexact(text)) return { problem: `The number ${text.slice(0, 60)} is too large to be held exactly` };
    // `+ 0` makes the zero of `-0` an ordinary one: JSON text can't tell them apart.
    return { value: Number(text) + 0 };
  }
  if ((text === 'true' || text === 'false') && shape.types!.has('boolean')) return { value: text === 'true' };
  if (text === 'null' && fits('null', null)) return { value: null };
  return undefined;
}
