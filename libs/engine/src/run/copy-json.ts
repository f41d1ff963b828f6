import { MAX_DEPTH, ToolError, type Json, type JsonObject } from '@errand/contracts';

/**
 * Returns a frozen copy of a JSON value, equal to what the journal would return. Several nodes share it, and none can
 * change it. `undefined` properties are left out.
 * @throws OutputError with the JSON Pointer of a part that is not JSON, or that nests deeper than 64 levels
 */
function copyJson(value: unknown, path = '', depth = 0): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw notJsonError(path, String(value));
    return value;
  }
  if (typeof value !== 'object') throw notJsonError(path, value === undefined ? 'undefined' : `a ${typeof value}`);
  if (depth >= MAX_DEPTH) throw new ToolError('OutputError', `The value nests deeper than ${MAX_DEPTH} levels`);
  if (!Array.isArray(value)) return copyObject(value, path, depth);
  const items = value.map((item: unknown, index) => copyJson(item, `${path}/${index}`, depth + 1));
  Object.freeze(items);
  return items;
}

/** Like `copyJson`, for a value that must be an object. */
export function copyObject(value: object, path = '', depth = 0): JsonObject {
  if (!isPlain(value)) throw notJsonError(path, `a ${value.constructor?.name ?? 'special object'}`);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  // `fromEntries` defines own properties, so the key `__proto__` stays a key.
  return Object.freeze(
    Object.fromEntries(entries.map(([key, item]) => [key, copyJson(item, `${path}/${key}`, depth + 1)])),
  );
}

/** Whether the value is an object literal (of any realm) or an object without prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function notJsonError(path: string, what: string): ToolError {
  return new ToolError('OutputError', `The value${path && ` at ${path}`} is ${what}, which is not a JSON value`);
}
