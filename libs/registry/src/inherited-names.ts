import { isObject, type JsonSchema, type Problem } from '@errand/contracts';
import { mapSchemas } from './plain-schema.js';

/**
 * The validator takes what an object inherits (`constructor`, `toString`) for a property of it, and skips properties that are called
 * `__proto__`. It gets such names with one dot more, in the schema and in the value alike. So every name stays different from every other.
 */
function isHidden(key: string): boolean {
  let end = key.length;
  while (key[end - 1] === '.') end--;
  return key.slice(0, end) in Object.prototype;
}

const hide = (key: string) => (isHidden(key) ? `${key}.` : key);
const show = (key: string) => (isHidden(key) ? key.slice(0, -1) : key);

/** Whether a value has a name that objects inherit among its keys, at any depth. */
export function hasInheritedName(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasInheritedName);
  return Object.entries(value).some(([key, item]) => isHidden(key) || hasInheritedName(item));
}

/** The value with these keys renamed. */
export function hideNames<T>(value: T): T {
  return renamed(value, hide);
}

/** The value with its keys as they were. */
export function showNames<T>(value: T): T {
  return renamed(value, show);
}

const hidden = new WeakMap<JsonSchema, JsonSchema>();

/** The schema with these names renamed wherever it speaks of properties; the same object if it has none of them. */
export function hideNamesInSchema(schema: JsonSchema): JsonSchema {
  let known = hidden.get(schema);
  if (!known) {
    known = hasInheritedName(schema) || hasInheritedRequired(schema) ? hideNames(withHiddenLists(schema)) : schema;
    hidden.set(schema, known);
  }
  return known;
}

/** Problems that speak of the names as they were. */
export function showNamesInProblems(problems: readonly Problem[]): Problem[] {
  const names = Object.getOwnPropertyNames(Object.prototype).join('|');
  const renamedNames = new RegExp(String.raw`(?<![\w$])(${names})\.`, 'g');
  const shown = (text: string) => text.replace(renamedNames, '$1');
  return problems.map(({ path, message, suggestion }) => ({
    path: path.split('/').map(show).join('/'),
    message: shown(message),
    ...(suggestion !== undefined && { suggestion: shown(suggestion) }),
  }));
}

function hasInheritedRequired(schema: JsonSchema): boolean {
  return Array.isArray(schema.required) && schema.required.some((name) => typeof name === 'string' && isHidden(name));
}

/** Lists of names, and references along them. */
function withHiddenLists(schema: JsonSchema): JsonSchema {
  const hideAll = (names: unknown) =>
    Array.isArray(names) ? names.map((name: unknown) => (typeof name === 'string' ? hide(name) : name)) : names;
  return mapSchemas(schema, (each) => {
    const { required, dependentRequired, $ref } = each;
    const dependent = isObject(dependentRequired) ? Object.entries(dependentRequired) : [];
    const lists = {
      ...(required !== undefined && { required: hideAll(required) }),
      ...(dependent.length > 0 && {
        dependentRequired: Object.fromEntries(dependent.map(([key, names]) => [key, hideAll(names)])),
      }),
      ...(typeof $ref === 'string' && { $ref: $ref.split('/').map(hide).join('/') }),
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same lists with other names
    return { ...each, ...(lists as JsonSchema) };
  });
}

function renamed<T>(value: T, rename: (key: string) => string): T {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map((item: unknown) => renamed(item, rename))
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [rename(key), renamed(item, rename)]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy of the same shape
  return copy as T;
}
