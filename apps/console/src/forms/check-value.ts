import { Validator, type Schema as JsonSchema } from '@cfworker/json-schema';
import { isSchema } from './schema-parts.js';

/** A place of a value that does not fit its schema. */
export interface ValueProblem {
  /** A JSON Pointer. */
  path: string;
  message: string;
}

const MOST_PROBLEMS = 20;
/** The keywords of parts that have problems of their own. A label says what is required. */
const OUTER = new Set(['properties', 'items', 'additionalProperties', '$ref', 'allOf', 'prefixItems', 'required']);
const OF_ALTERNATIVES = /\/(?:oneOf|anyOf)\//;

/**
 * Where a value does not fit a schema (2020-12), by an interpreter: the policy of the console forbids to compile. Regular expressions are
 * left to the server, because a hostile one could stop the page.
 */
export function problemsOf(schema: unknown, value: unknown): ValueProblem[] {
  if (schema === false) return [{ path: '', message: 'No value is allowed here.' }];
  if (!isSchema(schema)) return [];
  try {
    const { errors } = new Validator(withoutPatterns(schema) as JsonSchema, '2020-12', false).validate(value);
    return errors
      .filter(({ keyword, keywordLocation }) => !OUTER.has(keyword) && !OF_ALTERNATIVES.test(keywordLocation))
      .slice(0, MOST_PROBLEMS)
      .map(({ instanceLocation, keyword, error }) => ({
        path: instanceLocation.slice(1),
        message: inWords(keyword, error),
      }));
  } catch {
    // The server checks the value by a validator of its own.
    return [];
  }
}

function inWords(keyword: string, error: string): string {
  if (keyword === 'oneOf' || keyword === 'anyOf') return 'The value does not fit one of the alternatives.';
  return error.replace(/^Instance type /, 'The type ').replace(/^Instance /, 'The value ');
}

/** Whether a value fits a schema, as far as that can be checked here. Definitions of the root may be used. */
export function fits(schema: unknown, root: unknown, value: unknown): boolean {
  if (!isSchema(schema)) return schema !== false;
  const definitions = isSchema(root) && Object.hasOwn(root, '$defs') ? { $defs: root['$defs'] } : {};
  try {
    return new Validator(withoutPatterns({ ...definitions, ...schema }) as JsonSchema, '2020-12').validate(value).valid;
  } catch {
    return false;
  }
}

/** Values of the schema's author, which are no schemas. */
const VALUES = new Set(['const', 'enum', 'default', 'examples']);

/** Without its patterns, a schema cannot tell which of the other names are allowed. */
function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return (schema as unknown[]).map(withoutPatterns);
  if (!isSchema(schema)) return schema;
  const hasNames = isSchema(schema['patternProperties']);
  const isLeftOut = (key: string, value: unknown) =>
    (key === 'pattern' && typeof value === 'string') ||
    (hasNames && ['patternProperties', 'additionalProperties', 'unevaluatedProperties'].includes(key));
  const entries = Object.entries(schema).filter(([key, value]) => !isLeftOut(key, value));
  return Object.fromEntries(entries.map(([key, value]) => [key, VALUES.has(key) ? value : withoutPatterns(value)]));
}
