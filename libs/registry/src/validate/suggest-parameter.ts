import { didYouMean, isObject, own } from '@errand/contracts';
import { escapeKey, keysOf, nameOfPath } from '../files/json-pointer.js';

/** An unknown name and its context. */
interface UnknownName {
  name: string;
  /** The JSON Pointer of its object. */
  parent: string;
  /** The schema of that object. */
  schema: unknown;
  /** The required names that are missing. */
  missing: readonly string[];
  /** The original object, before defaults were filled in. */
  given: unknown;
}

/** The full path of the nearest free name of the object, else of the only similar name deeper inside. */
export function suggestParameter({ name, parent, schema, missing, given }: UnknownName): string | undefined {
  const isFree = (candidate: string) => !isObject(given) || !Object.hasOwn(given, candidate);
  const sibling = didYouMean(name, [...declaredNames(schema), ...missing].filter(isFree));
  if (sibling !== undefined) return nameOfPath(`${parent}/${escapeKey(sibling)}`);
  const paths = nestedPaths(schema, '', 0);
  const byName = new Map(paths.map((path) => [nameOfPath(path), path]));
  const whole = byName.get(didYouMean(name, byName.keys()) ?? '');
  const lastKeys = new Map(paths.map((path) => [path, keysOf(path).at(-1) ?? '']));
  const near = didYouMean(name, new Set(lastKeys.values()));
  const meant = whole === undefined ? paths.filter((path) => lastKeys.get(path) === near) : [whole];
  return meant.length === 1 ? nameOfPath(`${parent}${meant[0]}`) : undefined;
}

const MAX_LEVELS = 5;
const MAX_PATHS = 500;

/** The pointers to nested properties of the properties and items of a schema. */
function nestedPaths(schema: unknown, at: string, level: number): string[] {
  if (!isObject(schema) || level > MAX_LEVELS) return [];
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => own(schema, key) ?? []);
  const properties = own(schema, 'properties');
  const children = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, child]) => {
    const path = `${at}/${escapeKey(name)}`;
    return [...(level > 0 ? [path] : []), ...nestedPaths(child, path, level + 1)];
  });
  const items = nestedPaths(own(schema, 'items'), `${at}/0`, level + 1);
  return [...children, ...items, ...parts.flatMap((part) => nestedPaths(part, at, level))].slice(0, MAX_PATHS);
}

/** The properties that a schema declares, including those of its combined parts. */
export function declaredNames(schema: unknown): string[] {
  if (!isObject(schema)) return [];
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => own(schema, key) ?? []);
  const properties = own(schema, 'properties');
  return [...(isObject(properties) ? Object.keys(properties) : []), ...parts.flatMap(declaredNames)];
}
