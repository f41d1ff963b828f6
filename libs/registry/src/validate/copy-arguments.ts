import type { Json, JsonObject } from '@errand/contracts';

/**
 * Copies arguments, so that defaults can be filled in. It gives what `JSON.parse(JSON.stringify(…))` gives, without the
 * text between: the objects and lists are new, the texts are shared. Recursive: the caller has checked the depth.
 */
export function copyArguments(args: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const name of Object.keys(args)) {
    const value: Json | undefined = args[name];
    if (value === undefined) continue;
    if (name === '__proto__') Object.defineProperty(copy, name, { ...PROPERTY, value: copyValue(value) });
    else copy[name] = copyValue(value);
  }
  return copy;
}

const PROPERTY = { writable: true, enumerable: true, configurable: true } as const;

function copyValue(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => copyValue(item ?? null));
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  return typeof value === 'object' && value !== null ? copyArguments(value) : value;
}
