import { didYouMean, MAX_DEPTH, type Json, type JsonObject } from '@errand/contracts';
import { isTemplate } from '../templates/find-templates.js';
import { checkAttributes } from './check-attributes.js';
import { mismatch, nameOfPath, pointer, report, wanted, type Coercion } from './coercion.js';
import { newBag } from './new-bag.js';
import { readJson } from './read-json.js';
import { readScalar } from './read-scalar.js';
import { ANYTHING, isTyped, type Shape, type TypedShape } from './shape-of.js';
import type { ValueSource } from './value-source.js';

/**
 * Reads the parameters of a call by the tool's schema, never by the look of the text. A value that cannot be read as
 * its type is reported in `problems`. Its text remains in the result, so that it is not reported as missing.
 */
export function coerceArguments(parameters: readonly ValueSource[], shape: Shape, coercion: Coercion): JsonObject {
  return coerceProperties(parameters, shape, '', coercion);
}

function coerceProperties(sources: readonly ValueSource[], shape: Shape, path: string, coercion: Coercion): JsonObject {
  const bag = newBag();
  if (sources.length > MAX_COMPARED || hasRepeatedName(sources)) {
    for (const [name, occurrences] of byName(sources)) {
      warnIfUndeclared(occurrences[0], shape, path, coercion);
      bag[name] = coerceOccurrences(occurrences, shape.shapeOfProperty(name), pointer(path, name), coercion);
    }
    return bag;
  }
  for (const source of sources) {
    const { name } = source;
    warnIfUndeclared(source, shape, path, coercion);
    bag[name] = coerceValue(source, shape.shapeOfProperty(name), pointer(path, name), coercion);
  }
  return bag;
}

/** Up to this number, comparing all names is faster than a table. */
const MAX_COMPARED = 12;

function hasRepeatedName(sources: readonly ValueSource[]): boolean {
  for (let i = 1; i < sources.length; i++) {
    for (let j = 0; j < i; j++) if (sources[j]?.name === sources[i]?.name) return true;
  }
  return false;
}

/** The largest number of suggestions. Each costs time. */
const MAX_HINTS = 100;

/**
 * Unknown parameters are errors. Inside an object the schema decides; if it is silent, a misspelt property only gets
 * this warning.
 */
function warnIfUndeclared({ name, at }: ValueSource, shape: Shape, path: string, coercion: Coercion): void {
  if (path === '' || !shape.silent || shape.property(name) !== undefined) return;
  const { names } = shape;
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
  shape: Shape,
  path: string,
  coercion: Coercion,
): Json {
  const [second] = others;
  if (!second) return coerceValue(first, shape, path, coercion);
  const sources = [first, ...others];
  coercion.positions.add(path, first);
  if (!shape.types?.has('array')) {
    return report(second, path, `'${second.name}' is given ${sources.length} times but is not a list`, coercion);
  }
  const nested = sources.find((source) => isWrapped(source, shape.shapeOfItem(0)));
  if (nested) {
    const message = `'${nested.name}' is repeated and holds a list as well; repeat the tag, or list the values in one`;
    return report(nested, path, message, coercion);
  }
  return sources.map((source, index) => coerceValue(source, shape.shapeOfItem(index), pointer(path, index), coercion));
}

function areItems(sources: readonly ValueSource[]): boolean {
  for (const { name } of sources) if (name !== 'item') return false;
  return true;
}

/** Whether one of several occurrences is itself a list, although the elements are not: `<tags><item>…`, `["a"]`. */
function isWrapped({ children, plain, mixed }: ValueSource, item: Shape): boolean {
  if (!item.types || item.types.has('array')) return false;
  if (children.length > 0) return !mixed && areItems(children) && !item.names.includes('item');
  return plain.startsWith('[') && 'value' in readJson(plain);
}

function coerceValue(source: ValueSource, shape: Shape, path: string, coercion: Coercion): Json {
  source.use();
  if (source.attributes.length > 0 || source.fault !== undefined || source.misplaced !== undefined)
    checkAttributesOnce(source, shape, path, coercion);
  coercion.positions.add(path, source);
  if (path.length > MAX_DEPTH && path.split('/').length > MAX_DEPTH + 1) {
    return report(source, path, `nests deeper than ${MAX_DEPTH} levels`, coercion);
  }
  if (!isTyped(shape)) return coerceUntyped(source, path, coercion);
  return source.children.length > 0
    ? coerceMarkup(source, shape, path, coercion)
    : coerceText(source, shape, path, coercion);
}

function checkAttributesOnce(source: ValueSource, shape: Shape, path: string, coercion: Coercion): void {
  coercion.checked ??= new Set();
  if (coercion.checked.has(source)) return;
  coercion.checked.add(source);
  checkAttributes(source, shape, path, coercion);
}

/** Reads a value without a type in the schema: items are a list, other children an object, else text. */
function coerceUntyped(source: ValueSource, path: string, coercion: Coercion): Json {
  const { children, mixed } = source;
  if (children.length === 0 || mixed) return source.verbatim();
  if (!areItems(children)) return coerceProperties(children, ANYTHING, path, coercion);
  return children.map((child, index) => coerceValue(child, ANYTHING, pointer(path, index), coercion));
}

function coerceMarkup(source: ValueSource, shape: TypedShape, path: string, coercion: Coercion): Json {
  const types = shape.types;
  const onlyItems = !source.mixed && areItems(source.children);
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
  const element = shape.shapeOfItem(0);
  const sameName = haveOneName(children);
  const isOne =
    element.types?.has('object') && !mixed && !(sameName && children.every((child) => canBe(child, element)));
  const isMixed = !sameName && !element.names.includes('item') && children.some((child) => child.name === 'item');
  if (isOne && !isMixed && (!sameName || children.every((child) => element.names.includes(child.name)))) {
    return [coerceValue(source, element, pointer(path, 0), coercion)];
  }
  const isText =
    mixed && element.types?.has('string') && !(sameName && children.length > 1) && children[0]?.name !== 'item';
  if (isText) return [source.verbatim()];
  if (mixed || !sameName) {
    return report(source, path, `'${name}' must be a list: write each element as <item>…</item>`, coercion);
  }
  return children.map((child, index) => coerceValue(child, shape.shapeOfItem(index), pointer(path, index), coercion));
}

function haveOneName(sources: readonly ValueSource[]): boolean {
  for (const { name } of sources) if (name !== sources[0]?.name) return false;
  return true;
}

/** Whether a child can be an object of this shape, rather than one of its properties. */
function canBe({ children, plain }: ValueSource, shape: Shape): boolean {
  if (children.length === 0) return plain === '' || plain.startsWith('{') || isTemplate(plain);
  return shape.names.length === 0 || children.some(({ name }) => shape.names.includes(name));
}

function coerceText(source: ValueSource, shape: TypedShape, path: string, coercion: Coercion): Json {
  if (shape.isText) return source.verbatim();
  const { types } = shape;
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
  const element = shape.shapeOfItem(0);
  if (/[,，、]/.test(plain) && !(plain.startsWith('{') && element.types?.has('object'))) {
    const message = `'${name}' must be a list; commas don't make one: give each element on its own, or a JSON list`;
    return report(source, path, message, coercion);
  }
  return [coerceValue(source, element, pointer(path, 0), coercion)];
}

function coerceJson(source: ValueSource, path: string, coercion: Coercion): Json {
  const reading = readJson(source.plain);
  if ('value' in reading) return reading.value;
  if (isTemplate(source.plain)) return source.plain;
  return report(source, path, `'${source.name}' ${reading.problem}`, coercion);
}
