import type { Json, JsonSchema } from '@errand/contracts';
import type { Shape } from './shape-of.js';
import type { ValueSource } from './value-source.js';

/** What reading the values of one call gathers beside the values. Pointers are JSON Pointers into the arguments. */
export interface Coercion {
  /** The parameters of the tool: where local references of its schemas lead. */
  root: JsonSchema;
  /** Where in the text each value stands. */
  positions: Map<string, number>;
  /** Elements whose attributes were checked; one can be read twice, as a list and as its only element. */
  checked: Set<ValueSource>;
  problems: { path: string; message: string; at: number }[];
  warnings: { message: string; at: number }[];
}

/** `/a/b` and a name: `/a/b/name`, escaped as RFC 6901 says. */
export function pointer(base: string, name: string | number): string {
  if (typeof name === 'number' || !/[~/]/.test(name)) return `${base}/${name}`;
  return `${base}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A JSON Pointer as suggestions write it: `/items/0/name` is `items[0].name`. */
export function nameOfPath(path: string): string {
  const name = path.slice(1).replace(/\/(\d+)(?=\/|$)/g, '[$1]');
  return name.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Tells what is wrong with a value; its text stands for it. */
export function report(source: ValueSource, path: string, message: string, coercion: Coercion): Json {
  coercion.problems.push({ path, message, at: source.at });
  return source.plain;
}

/** What is wanted, and what came. */
export function mismatch({ name, plain }: ValueSource, shape: Shape): string {
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

/** What the values of a shape are, in words. */
export function wanted(shape: Shape): string {
  return [...shape.types!].map((type) => WORDS[type]).join(' or ');
}
