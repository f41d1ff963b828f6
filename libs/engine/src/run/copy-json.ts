import { MAX_DEPTH, setOwn, ToolError, type Json, type JsonObject } from '@errand/contracts';

/**
 * Returns a frozen copy of a JSON object, equal to what the journal would return. Several nodes share it, and none can
 * change it. `undefined` properties are left out.
 * @throws OutputError with the JSON Pointer of a part that is not JSON, or that nests deeper than 64 levels
 */
export function copyObject(value: object, path = '', depth = 0): JsonObject {
  if (!isPlain(value)) throw notJsonError(path, `a ${value.constructor?.name ?? 'special object'}`);
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an own property of an object
    const item = (value as Record<string, unknown>)[key];
    if (item !== undefined) setOwn(copy, key, copyPart(item, path, key, depth));
  }
  return Object.freeze(copy);
}

/** Most parts need no path for a message. */
function copyPart(part: unknown, path: string, key: string | number, depth: number): Json {
  if (part === null || typeof part === 'string' || typeof part === 'boolean') return part;
  if (typeof part === 'number' && Number.isFinite(part)) return part;
  return copyNested(part, `${path}/${key}`, depth + 1);
}

function copyNested(value: unknown, path: string, depth: number): Json {
  if (typeof value === 'number') throw notJsonError(path, String(value));
  if (typeof value !== 'object' || value === null)
    throw notJsonError(path, value === undefined ? 'undefined' : `a ${typeof value}`);
  if (depth >= MAX_DEPTH) throw new ToolError('OutputError', `The value nests deeper than ${MAX_DEPTH} levels`);
  if (!Array.isArray(value)) return copyObject(value, path, depth);
  const items = value.map((item: unknown, index) => copyPart(item, path, index, depth));
  Object.freeze(items);
  return items;
}

/** Whether the value is an object literal (of any realm) or an object without prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function notJsonError(path: string, what: string): ToolError {
  return new ToolError('OutputError', `The value${path && ` at ${path}`} is ${what}, which is not a JSON value`);
}
