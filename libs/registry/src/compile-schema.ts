import { isDeeperThan, isObject, type JsonSchema, type Problem } from '@errand/contracts';
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { compilePattern } from './check-pattern.js';
import { explainErrors, FIELD_WORDS } from './explain-errors.js';
import { escapeKey } from './json-pointer.js';
import { messageOf } from './thrown.js';

/** `inputs` have their defaults filled in (in place), `outputs` are left as they are. */
export type Purpose = 'inputs' | 'outputs';

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  ownProperties: true,
  inlineRefs: false,
  discriminator: true,
  logger: false,
  code: { regExp: Object.assign(compilePattern, { code: 'new RegExp' }) },
};

/** Compiling takes up to ten milliseconds for each thousand characters. */
const MAX_LENGTH = 50_000;

/** One shared instance for each purpose: a new one costs ten compilations. It keeps all that it ever compiled, so it is renewed. */
const RENEW_AFTER = 1000;
const instances = new Map<Purpose, { ajv: Ajv2020; left: number }>();

function instanceFor(purpose: Purpose): Ajv2020 {
  let instance = instances.get(purpose);
  if (!instance || instance.left === 0) {
    const ajv = new Ajv2020({ ...OPTIONS, useDefaults: purpose === 'inputs' });
    addFormats.default(ajv);
    instance = { ajv, left: RENEW_AFTER };
    instances.set(purpose, instance);
  }
  instance.left--;
  return instance.ajv;
}

/**
 * Compiles a schema, or says all that is wrong with it. It is read as JSON Schema 2020-12 and must stand on its own: no reference
 * leaves it, no `$id` renames it, no pattern is dangerous.
 */
export function compileSchema(schema: JsonSchema, purpose: Purpose): ValidateFunction | Problem[] {
  if (isDeeperThan(schema)) return [{ path: '', message: 'The schema nests deeper than 64 levels' }];
  const { length } = JSON.stringify(schema);
  if (length > MAX_LENGTH) {
    return [{ path: '', message: `The schema has ${length} characters; at most ${MAX_LENGTH} are compiled` }];
  }
  const forbidden = forbiddenIn(schema);
  if (forbidden.length > 0) return forbidden;
  const ajv = instanceFor(purpose);
  try {
    if (!ajv.validateSchema(schema)) return explainErrors(ajv.errors ?? [], FIELD_WORDS);
    return ajv.compile(schema);
  } catch (error) {
    return [{ path: '', message: `The schema does not compile: ${messageOf(error)}` }];
  }
}

/**
 * Runs a compiled schema. A schema that refers to itself without end, or overflows the stack otherwise, counts as not fitting.
 */
export function errorsOf(validate: ValidateFunction, value: unknown): ErrorObject[] | Problem {
  try {
    return validate(value) ? [] : [...(validate.errors ?? [])];
  } catch (error) {
    if (error instanceof RangeError) return { path: '', message: 'The schema refers to itself without end' };
    throw error;
  }
}

/** Looked for at any depth, whatever stands around them: the compiler, too, sees an `$id` in places that mean nothing. */
function forbiddenIn(value: unknown, path = ''): Problem[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => forbiddenIn(item, `${path}/${index}`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const place = `${path}/${escapeKey(key)}`;
    const message = typeof child === 'string' ? forbids(key, child) : undefined;
    return message ? [{ path: place, message }] : forbiddenIn(child, place);
  });
}

function forbids(key: string, value: string): string | undefined {
  if (key === '$id' || key === '$anchor' || key === '$dynamicAnchor')
    return `'${key}' is not allowed: a schema has no address`;
  if (key === '$ref' || key === '$dynamicRef') {
    return value.startsWith('#') ? undefined : `'${key}' must point into this schema, as #/$defs/name; got '${value}'`;
  }
  return key === 'pattern' ? faultOfPattern(value) : undefined;
}

function faultOfPattern(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
