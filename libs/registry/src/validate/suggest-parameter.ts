import { didYouMean, isObject, own } from '@errand/contracts';
import { declaredNames } from '../load/declared-names.js';
import { escapeKey, keysOf, nameOfPath } from '../files/json-pointer.js';

/** Where an unknown name is, and what its surroundings know. */
export interface UnknownName {
  name: string;
  /** JSON Pointer to the object that holds it. */
  parent: string;
  /** The schema of that object. */
  schema: unknown;
  /** Names that the object must have. */
  missing: readonly string[];
  /** The object as it was given, before defaults were filled in. */
  given: unknown;
}

/** The nearest name that the object may still have; else the one name that is declared deeper inside. Both with their full path. */
export function suggestParameter({ name, parent, schema, missing, given }: UnknownName): string | undefined {
  const isFree = (candidate: string) => !isObject(given) || !Object.hasOwn(given, candidate);
  const sibling = didYouMean(name, [...declaredNames(schema), ...missing].filter(isFree));
  if (sibling !== undefined) return nameOfPath(`${parent}/${escapeKey(sibling)}`);
  const paths = nestedPaths(schema, '', 0);
  const byName = new Map(paths.map((path) => [nameOfPath(path), path]));
  const whole = byName.get(didYouMean(name, byName.keys()) ?? '');
  const lastKeys = new Map(paths.map((path) => [path, keysOf(path).at(-1)!]));
  const near = didYouMean(name, new Set(lastKeys.values()));
  const meant = whole === undefined ? paths.filter((path) => lastKeys.get(path) === near) : [whole];
  return meant.length === 1 ? nameOfPath(`${parent}${meant[0]}`) : undefined;
}

const MAX_LEVELS = 5;
const MAX_PATHS = 500;

/** Pointers to the properties that are declared inside the properties and list items of a schema. */
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
