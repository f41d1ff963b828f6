import { didYouMean, MAX_DEPTH, type Json, type JsonObject, isDeeperThan, isInexact } from '@errand/contracts';
import { isTemplate } from '../templates/find-templates.js';
import { checkAttributes } from './check-attributes.js';
import { mismatch, nameOfPath, pointer, report, wanted, type Coercion } from './coercion.js';
import { isTyped, shapeOf, type JsonType, type Shape, type TypedShape } from './shape-of.js';
import type { ValueSource } from './value-source.js';

/**
 * Reads the parameters of a call by the tool's schema, never by the look of the text. A value that cannot be read as
 * its type is reported in `problems`. Its text remains in the result, so that it is not reported as missing.
 */
export function coerceArguments(parameters: readonly ValueSource[], coercion: Coercion): JsonObject {
  return coerceProperties(parameters, shapeOf(coercion.root, coercion.root), '', coercion);
}

function coerceProperties(sources: readonly ValueSource[], shape: Shape, path: string, coercion: Coercion): JsonObject {
  const bag: JsonObject = Object.create(null);
  for (const [name, occurrences] of byName(sources)) {
    if (path !== '' && shape.silent && shape.property(name) === undefined) {
      warnOfUndeclared(occurrences[0], shape, path, coercion);
    }
    bag[name] = coerceOccurrences(occurrences, shape.property(name), pointer(path, name), coercion);
  }
  return bag;
}

/** The largest number of suggestions. Each costs time. */
const MAX_HINTS = 100;

/**
 * Unknown parameters are errors. Inside an object the schema decides; if it is silent, a misspelt property only gets
 * this warning.
 */
function warnOfUndeclared({ name, at }: ValueSource, { names }: Shape, path: string, coercion: Coercion): void {
  const near = coercion.warnings.length < MAX_HINTS ? didYouMean(name, names) : undefined;
  const hint = near === undefined ? '' : `; did you mean '${near}' (${nameOfPath(pointer(path, near))})?`;
  coercion.warnings.push({ message: `The schema declares no property '${name}' here; it is passed on${hint}`, at });
}

function byName(sources: readonly ValueSource[]): Map<string, [ValueSource, ...ValueSource[]]> {
  const groups = new Map<string, [ValueSource, ...ValueSource[]]>();
  for (const source of sources) {
    const group = groups.get(source.name);
    if (group) group.push(source);
    else groups.set(source.name, [source]);
  }
  return groups;
}

/** Reads one or several sources of the same name. Several form a list if the schema has one. */
function coerceOccurrences(
  [first, ...others]: [ValueSource, ...ValueSource[]],
  schema: Json | undefined,
  path: string,
  coercion: Coercion,
): Json {
  const [second] = others;
  if (!second) return coerceValue(first, schema, path, coercion);
  const sources = [first, ...others];
  const shape = shapeOf(schema, coercion.root);
  coercion.positions.set(path, first.at);
  if (!shape.types?.has('array')) {
    return report(second, path, `'${second.name}' is given ${sources.length} times but is not a list`, coercion);
  }
  const nested = sources.find((source) => isWrapped(source, shapeOf(shape.item(0), coercion.root)));
  if (nested) {
    const message = `'${nested.name}' is repeated and holds a list as well; repeat the tag, or list the values in one`;
    return report(nested, path, message, coercion);
  }
  return sources.map((source, index) => coerceValue(source, shape.item(index), pointer(path, index), coercion));
}

/** Whether one of several occurrences is itself a list, although the elements are not: `<tags><item>…`, `["a"]`. */
function isWrapped({ children, plain, mixed }: ValueSource, item: Shape): boolean {
  if (!item.types || item.types.has('array')) return false;
  if (children.length > 0)
    return !mixed && children.every(({ name }) => name === 'item') && !item.names.includes('item');
  return plain.startsWith('[') && 'value' in readJson(plain);
}

function coerceValue(source: ValueSource, schema: Json | undefined, path: string, coercion: Coercion): Json {
  source.use();
  const shape = shapeOf(schema, coercion.root);
  if (!coercion.checked.has(source)) checkAttributes(source, shape, path, coercion);
  coercion.checked.add(source);
  coercion.positions.set(path, source.at);
  if (path.length > MAX_DEPTH && path.split('/').length > MAX_DEPTH + 1) {
    return report(source, path, `nests deeper than ${MAX_DEPTH} levels`, coercion);
  }
  if (!isTyped(shape)) return coerceUntyped(source, path, coercion);
  return source.children.length > 0
    ? coerceMarkup(source, shape, path, coercion)
    : coerceText(source, shape, path, coercion);
}

/** Reads a value without a type in the schema: items are a list, other children an object, else text. */
function coerceUntyped(source: ValueSource, path: string, coercion: Coercion): Json {
  const { children, mixed } = source;
  if (children.length === 0 || mixed) return source.verbatim();
  if (!children.every(({ name }) => name === 'item')) {
    return coerceProperties(children, shapeOf(undefined, coercion.root), path, coercion);
  }
  return children.map((child, index) => coerceValue(child, undefined, pointer(path, index), coercion));
}

function coerceMarkup(source: ValueSource, shape: TypedShape, path: string, coercion: Coercion): Json {
  const types = shape.types;
  const onlyItems = !source.mixed && source.children.every(({ name }) => name === 'item');
  if (types.has('array') && (onlyItems || !(types.has('object') || types.has('string')))) {
    return coerceList(source, shape, path, coercion);
  }
  if (types.has('object') && !(source.mixed && types.has('string'))) return coerceObject(source, shape, path, coercion);
  if (types.has('string')) return source.verbatim();
  return report(source, path, `'${source.name}' must be ${wanted(shape)}, not nested tags`, coercion);
}

function coerceObject(source: ValueSource, shape: Shape, path: string, coercion: Coercion): Json {
  if (source.mixed) {
    return report(
      source,
      path,
      `'${source.name}' holds text beside its tags; give each value a tag of its own`,
      coercion,
    );
  }
  return coerceProperties(source.children, shape, path, coercion);
}

/**
 * The children are the elements if all have one name. For a list of objects, the source may also be its only element.
 */
function coerceList(source: ValueSource, shape: Shape, path: string, coercion: Coercion): Json {
  const { children, mixed, name } = source;
  const element = shapeOf(shape.item(0), coercion.root);
  const sameName = children.every((child) => child.name === children[0]?.name);
  const isOne =
    element.types?.has('object') && !mixed && !(sameName && children.every((child) => canBe(child, element)));
  const isMixed = !sameName && !element.names.includes('item') && children.some((child) => child.name === 'item');
  if (isOne && !isMixed && (!sameName || children.every((child) => element.names.includes(child.name)))) {
    return [coerceValue(source, shape.item(0), pointer(path, 0), coercion)];
  }
  const isText =
    mixed && element.types?.has('string') && !(sameName && children.length > 1) && children[0]?.name !== 'item';
  if (isText) return [source.verbatim()];
  if (mixed || !sameName) {
    return report(source, path, `'${name}' must be a list: write each element as <item>…</item>`, coercion);
  }
  return children.map((child, index) => coerceValue(child, shape.item(index), pointer(path, index), coercion));
}

/** Whether a child can be an object of this shape, rather than one of its properties. */
function canBe({ children, plain }: ValueSource, shape: Shape): boolean {
  if (children.length === 0) return plain === '' || plain.startsWith('{') || isTemplate(plain);
  return shape.names.length === 0 || children.some(({ name }) => shape.names.includes(name));
}

function coerceText(source: ValueSource, shape: TypedShape, path: string, coercion: Coercion): Json {
  const types = shape.types;
  if (types.size === 1 && types.has('string')) return source.verbatim();
  const { plain } = source;
  const scalar = readScalar(plain, shape);
  if (types.has('string')) {
    const text = source.verbatim();
    return shape.allows('string', text) || !scalar || !('value' in scalar) ? text : scalar.value;
  }
  if (scalar && 'value' in scalar) return scalar.value;
  if (types.has('object') && plain === '' && !types.has('array')) return coerceProperties([], shape, path, coercion);
  if (types.has('object') && plain.startsWith('{')) return coerceJson(source, path, coercion);
  if (types.has('array')) return coerceListText(source, shape, path, coercion);
  if (isTemplate(plain)) return plain;
  return report(source, path, scalar?.problem ?? mismatch(source, shape), coercion);
}

/**
 * Reads a list from one text: JSON, or a single element. Comma lists are refused, because a comma may belong to the
 * text.
 */
function coerceListText(source: ValueSource, shape: TypedShape, path: string, coercion: Coercion): Json {
  const { plain, name } = source;
  if (plain === '') return [];
  if (isTemplate(plain)) return plain;
  if (plain.startsWith('[')) return coerceJson(source, path, coercion);
  if (shape.types.size > (shape.types.has('null') ? 2 : 1))
    return report(source, path, mismatch(source, shape), coercion);
  const element = shapeOf(shape.item(0), coercion.root);
  if (/[,，、]/.test(plain) && !(plain.startsWith('{') && element.types?.has('object'))) {
    const message = `'${name}' must be a list; commas don't make one: give each element on its own, or a JSON list`;
    return report(source, path, message, coercion);
  }
  return [coerceValue(source, shape.item(0), pointer(path, 0), coercion)];
}

function coerceJson(source: ValueSource, path: string, coercion: Coercion): Json {
  const reading = readJson(source.plain);
  if ('value' in reading) return reading.value;
  if (isTemplate(source.plain)) return source.plain;
  return report(source, path, `'${source.name}' ${reading.problem}`, coercion);
}

/** The value of a JSON text, or why it cannot be read. */
type JsonReading = { value: Json } | { problem: string };

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;

/**
 * Reads JSON text. It refuses losses that `JSON.parse` ignores: a duplicate key in an object, and an integer that a
 * double cannot hold exactly.
 */
function readJson(text: string): JsonReading {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `is not valid JSON (${error instanceof Error ? error.message : String(error)})` };
  }
  if (isDeeperThan(value)) return { problem: `nests deeper than ${MAX_DEPTH} levels` };
  const loss = findLoss(text);
  return loss === undefined ? { value } : { problem: loss };
}

/** Scans the tokens of a valid JSON text. */
function findLoss(text: string): string | undefined {
  const open: (Set<string> | null)[] = [];
  let previous = '';
  let key: string | undefined;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name: string = JSON.parse(key ?? '""');
      const names = open.at(-1);
      if (names?.has(name)) return `gives the key '${name}' twice`;
      names?.add(name);
    } else if (isInexact(token)) return `holds the number ${token}, which is too large to be held exactly`;
    if (token.startsWith('"') && (previous === '{' || previous === ',')) key = token;
    previous = token;
  }
  return undefined;
}

const INTEGER = /^-?\d+$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Reads a trimmed text as an integer, number, boolean or null, as the schema allows; undefined if none fits. A number
 * that a double cannot hold is a problem, because rounding would change the call.
 */
function readScalar(
  text: string,
  shape: TypedShape,
): { value: Json; problem?: never } | { problem: string } | undefined {
  const fits = (type: JsonType, value: Json) => shape.types.has(type) && shape.allows(type, value);
  for (const type of ['integer', 'number'] as const) {
    if (!shape.types.has(type) || !(type === 'integer' ? INTEGER : NUMBER).test(text)) continue;
    if (isInexact(text)) return { problem: `The number ${text.slice(0, 60)} is too large to be held exactly` };
    // `+ 0` turns `-0` into 0, because JSON text cannot hold `-0`.
    return { value: Number(text) + 0 };
  }
  if ((text === 'true' || text === 'false') && shape.types.has('boolean')) return { value: text === 'true' };
  if (text === 'null' && fits('null', null)) return { value: null };
  return undefined;
}
