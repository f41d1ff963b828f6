import { isObject, own } from '@errand/contracts';
import type { SchemaError } from './schema-error.js';

const TYPES: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'a boolean (true or false)',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

const MAX_LISTED = 20;
const MAX_SHOWN = 80;

/** `a string or null` for the `type` keyword. */
export function nameOfTypes(types: unknown): string {
  return [types]
    .flat()
    .map((type) => TYPES[String(type)] ?? String(type))
    .join(' or ');
}

/** The type of a value, such as `a string`. */
export function nameOfType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a number';
  return typeof value === 'boolean' ? 'a boolean' : nameOfTypes(typeof value);
}

/** A value in a message: a plain string unchanged, other values as JSON; at most one line. */
export function show(value: unknown): string {
  // A long text is cut first, because quoting it takes time.
  const cut = typeof value === 'string' ? value.slice(0, MAX_SHOWN + 1) : value;
  const text = typeof cut === 'string' && /^[\w.:/-]+$/.test(cut) ? cut : (JSON.stringify(cut) ?? 'undefined');
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** `red, green, blue` */
export function among(values: readonly unknown[]): string {
  const listed = values.slice(0, MAX_LISTED).map(show).join(', ');
  return values.length > MAX_LISTED ? `${listed}, … (${values.length} in all)` : listed;
}

/** Describes the limit of a keyword; for other keywords, the message of the validator. */
export function describeLimit({ keyword, params, data, message, parentSchema }: SchemaError): string {
  const limit = `${params.limit}`;
  switch (keyword) {
    case 'const':
      return `must be ${show(params.allowedValue)}`;
    case 'minimum':
      return `must be at least ${limit}, got ${show(data)}`;
    case 'maximum':
      return `must be at most ${limit}, got ${show(data)}`;
    case 'exclusiveMinimum':
      return `must be greater than ${limit}, got ${show(data)}`;
    case 'exclusiveMaximum':
      return `must be less than ${limit}, got ${show(data)}`;
    case 'multipleOf':
      return `must be a multiple of ${params.multipleOf}, got ${show(data)}`;
    case 'minLength':
      return `must have at least ${count(limit, 'character')}, has ${sizeOf(data)}`;
    case 'maxLength':
      return `must have at most ${count(limit, 'character')}, has ${sizeOf(data)}`;
    case 'minItems':
      return `must have at least ${count(limit, 'item')}, has ${sizeOf(data)}`;
    case 'maxItems':
      return `must have at most ${count(limit, 'item')}, has ${sizeOf(data)}`;
    case 'minProperties':
      return `must have at least ${count(limit, 'property')}, has ${sizeOf(data)}`;
    case 'maxProperties':
      return `must have at most ${count(limit, 'property')}, has ${sizeOf(data)}`;
    case 'uniqueItems':
      return `must not hold the same item twice: items ${params.j} and ${params.i} are equal`;
    case 'pattern':
      return describePattern(
        String(params.pattern),
        isObject(parentSchema) ? own(parentSchema, 'examples') : undefined,
        data,
      );
    case 'format':
      return `must be a valid ${params.format}, got ${show(data)}`;
    default:
      return message ?? `does not satisfy '${keyword}'`;
  }
}

/** The maximum length of a readable pattern. */
const READABLE = 80;

/** Describes a pattern, if possible by an example, which is easier to understand. */
function describePattern(pattern: string, examples: unknown, data: unknown): string {
  if (!Array.isArray(examples) || examples.length === 0) return `must match the pattern ${pattern}, got ${show(data)}`;
  const shownPattern = pattern.length > READABLE ? '' : `; the pattern is ${pattern}`;
  return `must be written like ${show(examples[0])}, got ${show(data)}${shownPattern}`;
}

function count(limit: string, thing: string): string {
  if (limit === '1') return `1 ${thing}`;
  return `${limit} ${thing.replace(/y$/, 'ie')}s`;
}

let lastMeasured: { value: unknown; size: number } = { value: undefined, size: 0 };

/**
 * The number of characters, items or properties. The last size is kept, because several problems in a row may concern
 * one large value.
 */
function sizeOf(value: unknown): number {
  if (lastMeasured.value !== value) lastMeasured = { value, size: measure(value) };
  return lastMeasured.size;
}

function measure(value: unknown): number {
  if (typeof value === 'string') return Array.from(value).length;
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}
