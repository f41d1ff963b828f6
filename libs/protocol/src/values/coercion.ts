import type { Json } from '@errand/contracts';
import type { TypedShape } from './shape-of.js';
import type { ValuePositions } from './value-positions.js';
import type { ValueSource } from './value-source.js';

/** The data collected while the values of one call are read. Pointers are JSON Pointers into the arguments. */
export interface Coercion {
  /** The offset of each value in the text, by JSON Pointer. */
  positions: ValuePositions;
  /** Elements with checked attributes. An element can be read twice: as a list and as its only element. */
  checked: Set<ValueSource> | undefined;
  problems: { path: string; message: string; at: number }[];
  warnings: { message: string; at: number }[];
}

/** Appends a name to a JSON Pointer: `/a/b` becomes `/a/b/name`, escaped by RFC 6901. */
export function pointer(base: string, name: string | number): string {
  if (typeof name === 'number' || !(name.includes('~') || name.includes('/'))) return `${base}/${name}`;
  return `${base}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A JSON Pointer in the form of suggestions: `/items/0/name` becomes `items[0].name`. */
export function nameOfPath(path: string): string {
  const name = path.slice(1).replace(/\/(\d+)(?=\/|$)/g, '[$1]');
  return name.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Reports a problem of a value, and returns its text as a substitute. */
export function report(source: ValueSource, path: string, message: string, coercion: Coercion): Json {
  coercion.problems.push({ path, message, at: source.at });
  return source.plain;
}

/** The message for a value of a wrong type. */
export function mismatch({ name, plain }: ValueSource, shape: TypedShape): string {
  const given = plain === '' ? 'nothing' : `'${plain.length > 60 ? `${plain.slice(0, 60)}…` : plain}'`;
  return `'${name}' must be ${wanted(shape)}, got ${given}`;
}

const WORDS = {
  string: 'text',
  integer: 'an integer (digits only)',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'an object (a tag for each property, or JSON)',
} as const;

/** The expected types in words. */
export function wanted(shape: TypedShape): string {
  return [...shape.types].map((type) => WORDS[type]).join(' or ');
}
