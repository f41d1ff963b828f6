import type { Signature } from './script-analysis.js';

/**
 * Whether a tool can name the function (`entryPoint`): it takes plain JSON by the names of its parameters or as one
 * object, and returns plain JSON. Any other function needs a script that calls it.
 */
export function isCalledByName(signature: Signature, language: 'python' | 'bun', needsMaking: boolean): boolean {
  const { name, rest, isGenerator, isDefault } = signature;
  if (isGenerator || isDefault || needsMaking || rest !== undefined || !/^[A-Za-z_$][\w$]*$/.test(name)) return false;
  return language === 'python' ? signature.positions.length === 0 : hasPlainList(signature);
}

/**
 * At run time, the names of the parameters come from the text of a JavaScript function. This works only if defaults are
 * single words.
 */
function hasPlainList({ takesObject, parameters }: Signature): boolean {
  const isPlain = (fallback: unknown) => typeof fallback === 'number' || typeof fallback === 'boolean';
  return takesObject || parameters.every(({ required, schema }) => required || isPlain(schema.default));
}
