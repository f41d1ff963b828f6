import { isDeeperThan, isObject, type JsonSchema, type Problem } from '@errand/contracts';
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import { addBoundedFormats } from './bounded-formats.js';
import { explainErrors, FIELD_WORDS } from './explain-errors.js';
import { linearPattern } from './linear-pattern.js';
import { DIALECTS, faultsOfKeywords, isAddress, isReference, keywordsIn, type Keyword } from './schema-keywords.js';
import { UnresolvedReference } from './find-resources.js';
import { resolveAddresses } from './resolve-addresses.js';
import { messageOf } from './thrown.js';

/** `inputs` have their defaults filled in (in place), `outputs` are left as they are. */
export type Purpose = 'inputs' | 'outputs';

const OPTIONS: Options = {
  strict: false,
  // It is validated before: see `faultsOfSchema`.
  validateSchema: false,
  allErrors: true,
  verbose: true,
  ownProperties: true,
  inlineRefs: false,
  discriminator: true,
  logger: false,
  // Optimising takes a third of the time of compiling, and gains nothing that can be measured on arguments.
  code: { regExp: Object.assign(linearPattern, { code: 'new RegExp' }), optimize: false },
};

/** Compiling takes up to ten milliseconds for each thousand characters. */
const MAX_LENGTH = 50_000;

const ENDLESS = 'The schema refers to itself without end';

/** One shared instance for each purpose: a new one costs ten compilations. It keeps all that it ever compiled, so it is renewed. */
const RENEW_AFTER = 1000;
const instances = new Map<Purpose, { ajv: Ajv2020; left: number }>();

function sharedInstance(purpose: Purpose): Ajv2020 {
  let instance = instances.get(purpose);
  if (!instance || instance.left === 0) {
    instance = { ajv: newInstance(purpose), left: RENEW_AFTER };
    instances.set(purpose, instance);
  }
  instance.left--;
  return instance.ajv;
}

function newInstance(purpose: Purpose): Ajv2020 {
  const ajv = new Ajv2020({ ...OPTIONS, useDefaults: purpose === 'inputs' });
  addBoundedFormats(ajv);
  return ajv;
}

/**
 * All that can be wrong with a schema before it is compiled. It is read as JSON Schema 2020-12, whatever older dialect it names,
 * and must stand on its own: what it refers to is in it (or is the schema of schemas), for nothing is ever fetched.
 */
export function faultsOfSchema(schema: JsonSchema | boolean): Problem[] {
  if (isDeeperThan(schema)) return [{ path: '', message: 'The schema nests deeper than 64 levels' }];
  const { length } = JSON.stringify(schema);
  if (length > MAX_LENGTH) {
    return [{ path: '', message: `The schema has ${length} characters; at most ${MAX_LENGTH} are compiled` }];
  }
  const body = withoutDialect(schema);
  const keywords = [...keywordsIn(body)];
  const faults = faultsOfKeywords(keywords);
  if (faults.length > 0) return faults;
  const ajv = instances.get('outputs')?.ajv ?? sharedInstance('outputs');
  if (ajv.validateSchema(body)) return [];
  return explainErrors(ajv.errors ?? [], { ...FIELD_WORDS, whole: 'The schema' });
}

/** Compiles a schema, or says all that is wrong with it: see `faultsOfSchema`. */
export function compileSchema(schema: JsonSchema | boolean, purpose: Purpose): ValidateFunction | Problem[] {
  const faults = faultsOfSchema(schema);
  if (faults.length > 0) return faults;
  const body = withoutDialect(schema);
  const keywords = [...keywordsIn(body)];
  try {
    // The compiler knows addresses for all that it ever compiled: it gets to see none, so that no other schema can be meant.
    const isAddressed = isObject(body) && keywords.some(isAddress);
    return sharedInstance(purpose).compile(isAddressed ? resolveAddresses(body) : body);
  } catch (error) {
    return [explainFailure(error, keywords)];
  }
}

/**
 * Runs a compiled schema. A schema that refers to itself without end, or overflows the stack otherwise, counts as not fitting.
 */
export function errorsOf(validate: ValidateFunction, value: unknown): ErrorObject[] | Problem {
  try {
    return validate(value) ? [] : [...(validate.errors ?? [])];
  } catch (error) {
    if (error instanceof RangeError) return { path: '', message: ENDLESS };
    throw error;
  }
}

function explainFailure(error: unknown, keywords: readonly Keyword[]): Problem {
  const missing = missingIn(error);
  if (error instanceof RangeError) return { path: '', message: ENDLESS };
  if (missing === undefined) return { path: '', message: `The schema does not compile: ${messageOf(error)}` };
  const place = keywords.find(({ key, value }) => isReference(key) && value === missing);
  return { path: place?.path ?? '', message: new UnresolvedReference(missing).message };
}

function missingIn(error: unknown): string | undefined {
  if (error instanceof UnresolvedReference) return error.reference;
  return isObject(error) && typeof error.missingRef === 'string' ? error.missingRef : undefined;
}

function withoutDialect(schema: JsonSchema | boolean): JsonSchema | boolean {
  if (!isObject(schema) || typeof schema.$schema !== 'string' || !DIALECTS.test(schema.$schema)) return schema;
  const { $schema: _dialect, ...body } = schema;
  return body;
}
