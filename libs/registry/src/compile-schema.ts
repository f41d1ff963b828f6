import { isDeeperThan, isObject, type JsonSchema, type Problem } from '@errand/contracts';
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import { addBoundedFormats } from './bounded-formats.js';
import { explainErrors, FIELD_WORDS } from './explain-errors.js';
import { escapeKey } from './json-pointer.js';
import { linearPattern } from './linear-pattern.js';
import { resolveAddresses, UnresolvedReference } from './resolve-addresses.js';
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
const DIALECTS = /^https?:\/\/json-schema\.org\/(?:draft\/20(?:19-09|20-12)\/schema|(?:draft-0[4-7]\/)?schema)#?$/;

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
  const isAddressed = keywords.some(({ key }) => key === '$id');
  const faults = keywords.flatMap((keyword) => [
    ...faultOfKeyword(keyword),
    ...(isAddressed ? [] : faultOfReference(keyword)),
  ]);
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
    if (error instanceof RangeError) return { path: '', message: 'The schema refers to itself without end' };
    throw error;
  }
}

interface Keyword {
  key: string;
  value: unknown;
  /** Where it stands, as a JSON Pointer into the schema. */
  path: string;
}

/** Every key at any depth, whatever stands around it: the compiler, too, sees an address in places that mean nothing. */
function* keywordsIn(value: unknown, path = ''): Generator<Keyword> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    const place = `${path}/${escapeKey(key)}`;
    if (!Array.isArray(value)) yield { key, value: child, path: place };
    yield* keywordsIn(child, place);
  }
}

function isReference(key: string): boolean {
  return key === '$ref' || key === '$dynamicRef';
}

function isAddress({ key, value }: Keyword): boolean {
  const isAddressing = isReference(key) && (key === '$dynamicRef' || !/^#(?:\/|$)/.test(String(value)));
  return ['$id', '$anchor', '$dynamicAnchor'].includes(key) || isAddressing;
}

/** In a schema without any `$id` only the schema itself can be meant, or the schema of schemas. */
function faultOfReference({ key, value, path }: Keyword): Problem[] {
  if (!isReference(key) || typeof value !== 'string' || value.startsWith('#') || DIALECTS.test(value)) return [];
  if (IN_DATA.test(path)) return [];
  return [
    { path, message: `'${key}' must point into this schema, as #/$defs/name; got '${value}', and nothing is fetched` },
  ];
}

/** Inside a value (of `default`, `enum`, …) these are no keywords. */
const IN_DATA = /\/(?:const|enum|default|examples)\//;

/** Wrong patterns and dialects, whose places the compiler would not tell. */
function faultOfKeyword({ key, value, path }: Keyword): Problem[] {
  if (IN_DATA.test(path)) return [];
  if (key === 'pattern' && typeof value === 'string') return faultOfPattern(value, path);
  if (key === 'patternProperties' && isObject(value)) {
    return Object.keys(value).flatMap((name) => faultOfPattern(name, `${path}/${escapeKey(name)}`));
  }
  if (key !== '$schema' || typeof value !== 'string' || DIALECTS.test(value)) return [];
  return [{ path, message: `The dialect '${value}' is not known; schemas are read as JSON Schema 2020-12` }];
}

function faultOfPattern(pattern: string, path: string): Problem[] {
  try {
    linearPattern(pattern);
    return [];
  } catch (error) {
    return [{ path, message: messageOf(error) }];
  }
}

function explainFailure(error: unknown, keywords: readonly Keyword[]): Problem {
  const missing = missingIn(error);
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
