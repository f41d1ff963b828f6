import { MAX_DEPTH, ToolError, type Json, type JsonObject } from '@errand/contracts';

/**
 * A frozen copy of a JSON value, as it would come back from the journal: several nodes share it, none can change it for the
 * others. Properties that are `undefined` are left out.
 * @throws OutputError naming the place (a JSON Pointer) of what is no JSON or lies deeper than 64 levels
 */
export function copyJson(value: unknown, path = '', depth = 0): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw noJson(path, String(value));
    return value;
  }
  if (typeof value !== 'object') throw noJson(path, value === undefined ? 'undefined' : `a ${typeof value}`);
  if (depth >= MAX_DEPTH) throw new ToolError('OutputError', `The value nests deeper than ${MAX_DEPTH} levels`);
  if (!Array.isArray(value)) return copyObject(value, path, depth);
  const items = value.map((item: unknown, index) => copyJson(item, `${path}/${index}`, depth + 1));
  Object.freeze(items);
  return items;
}

/** The same for what must be an object. */
export function copyObject(value: object, path = '', depth = 0): JsonObject {
  if (!isPlain(value)) throw noJson(path, `a ${value.constructor?.name ?? 'special object'}`);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  // fromEntries defines own properties: a key `__proto__` stays a key.
  return Object.freeze(
    Object.fromEntries(entries.map(([key, item]) => [key, copyJson(item, `${path}/${key}`, depth + 1)])),
  );
}

/** Whether it is an object literal, of this realm or another, or one without prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function noJson(path: string, what: string): ToolError {
  return new ToolError('OutputError', `The value${path && ` at ${path}`} is ${what}, which is no JSON value`);
}
