import { isObject, own, ToolError, type Json, type JsonObject } from '@errand/contracts';

const MAX_SHOWN_CHARS = 200;
const INDEX = /^(?:0|[1-9]\d{0,8})$/;

/**
 * The value of a state at a path of keys, separated by dots: `lamp.on`, `items.0.name`. Only own properties and positions of lists are found,
 * so `__proto__` and `length` are ordinary names. The empty path means the whole state. A missing value is undefined.
 */
export function valueAtPath(state: JsonObject, path: string): Json | undefined {
  if (path === '') return state;
  let value: Json | undefined = state;
  for (const key of path.split('.')) value = childOf(value, key);
  return value;
}

/**
 * A copy of the state with another value at a path. Missing objects on the way are added. A position of a list may be one behind the end.
 * @throws ToolError `ParameterValidationError` for a path through a value that has no keys, and for a whole state that is not an object
 */
export function withValueAt(state: JsonObject, path: string, value: Json): JsonObject {
  if (path !== '') return setIn(state, path.split('.'), 0, value);
  if (isJsonObject(value)) return value;
  throw refused('The whole state must be an object; name a key in the path');
}

function childOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return INDEX.test(key) ? value[Number(key)] : undefined;
  return isJsonObject(value) ? own(value, key) : undefined;
}

function setIn(parent: JsonObject, keys: readonly string[], depth: number, value: Json): JsonObject {
  const key = keys[depth] ?? '';
  return { ...parent, [key]: changed(own(parent, key), keys, depth + 1, value) };
}

/** The new value of a key whose value was `old`. */
function changed(old: Json | undefined, keys: readonly string[], depth: number, value: Json): Json {
  const key = keys[depth];
  if (key === undefined) return value;
  if (old === undefined || old === null) return setIn({}, keys, depth, value);
  if (Array.isArray(old))
    return old.toSpliced(positionIn(old, keys, depth), 1, changed(childOf(old, key), keys, depth + 1, value));
  if (isJsonObject(old)) return setIn(old, keys, depth, value);
  const at = shown(keys.slice(0, depth));
  throw refused(
    `The value at ${at} is ${kindOf(old)} and has no keys: set ${at} to an object first, or choose another path`,
  );
}

function positionIn(list: readonly Json[], keys: readonly string[], depth: number): number {
  const key = keys[depth] ?? '';
  if (INDEX.test(key) && Number(key) <= list.length) return Number(key);
  throw refused(
    `The list at ${shown(keys.slice(0, depth))} has the positions 0 to ${list.length}, and not ${shown([key])}`,
  );
}

function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}

function kindOf(value: Json): string {
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

function shown(keys: readonly string[]): string {
  const path = keys.join('.');
  return JSON.stringify(path.length > MAX_SHOWN_CHARS ? `${path.slice(0, MAX_SHOWN_CHARS)}…` : path);
}

function refused(message: string): ToolError {
  return new ToolError('ParameterValidationError', message);
}
