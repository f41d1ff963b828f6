import { isDeeperThan, isObject, type JsonSchema, type Problem } from '@errand/contracts';
import { explainErrors, FIELD_WORDS } from '../validate/explain-errors.js';
import { UnresolvedReference } from '../files/find-resources.js';
import { resolveAddresses } from './resolve-addresses.js';
import { compileNodes } from './compile-nodes.js';
import type { SchemaError } from './schema-error.js';
import type { SchemaNode } from './schema-node.js';
import { SchemaValidator } from './schema-validator.js';
import { DIALECTS, faultsOfKeywords, isAddress, isReference, keywordsIn, type Keyword } from './schema-keywords.js';
import { messageOf } from '../plugins/thrown-values.js';
import { readFileSync } from 'node:fs';

/** For `inputs`, defaults are filled in in place. `outputs` stay unchanged. */
type SchemaPurpose = 'inputs' | 'outputs';

/** The maximum length of a schema in characters, because reading takes time for each one. */
const MAX_LENGTH = 50_000;

/** The maximum number of schemas after each reference is replaced by its target. */
const MAX_UNFOLDED = 100_000;

/** The step limit for the meta-schema, which is large but takes linear time. */
const STEPS_OF_SCHEMAS = 10_000_000;

const ENDLESS = 'The schema refers to itself without end';

/**
 * All problems of a schema before it is compiled. It is read as JSON Schema 2020-12, also if it names an older dialect.
 * It must contain all its references, except to the meta-schema, because nothing is fetched.
 */
export function faultsOfSchema(schema: JsonSchema | boolean): Problem[] {
  if (isDeeperThan(schema)) return [{ path: '', message: 'The schema nests deeper than 64 levels' }];
  const { length } = JSON.stringify(schema);
  if (length > MAX_LENGTH) {
    return [{ path: '', message: `The schema has ${length} characters; at most ${MAX_LENGTH} are compiled` }];
  }
  const body = withoutDialect(schema);
  const faults = faultsOfKeywords([...keywordsIn(body)]);
  if (faults.length > 0) return faults;
  const errors = errorsOf(new SchemaValidator(schemaOfSchemas(), false, STEPS_OF_SCHEMAS), body);
  return Array.isArray(errors) ? explainErrors(errors, { ...FIELD_WORDS, whole: 'The schema' }) : [errors];
}

/** Compiles a schema, or returns all its problems: see `faultsOfSchema`. */
export function compileSchema(schema: JsonSchema | boolean, purpose: SchemaPurpose): SchemaValidator | Problem[] {
  const faults = faultsOfSchema(schema);
  return faults.length > 0 ? faults : compileFaultless(schema, purpose);
}

/** Compiles a schema in which `faultsOfSchema` finds nothing: one of this program, for which a test shows that. */
export function compileFaultless(schema: JsonSchema | boolean, purpose: SchemaPurpose): SchemaValidator | Problem[] {
  const body = withoutDialect(schema);
  const keywords = [...keywordsIn(body)];
  try {
    const isAddressed = isObject(body) && keywords.some(isAddress);
    const root = compileNodes(isAddressed ? resolveAddresses(body) : body, (address) =>
      DIALECTS.test(address) ? schemaOfSchemas() : undefined,
    );
    const large = new UnfoldedSizes().findLarger(root, MAX_UNFOLDED);
    return large ? [tooLarge(large)] : new SchemaValidator(root, purpose === 'inputs');
  } catch (error) {
    return [explainFailure(error, keywords)];
  }
}

/** All errors of a value, or the reason why they cannot be found. */
export function errorsOf(validator: SchemaValidator, value: unknown): SchemaError[] | Problem {
  try {
    return validator.errorsOf(value);
  } catch (error) {
    if (error instanceof RangeError) return { path: '', message: ENDLESS };
    throw error;
  }
}

function tooLarge({ path }: SchemaNode): Problem {
  const message =
    `The references from here unfold to more than ${MAX_UNFOLDED} schemas, so that validation could take for ever; ` +
    'refer to each schema fewer times, or merge branches that are equal';
  return { path, message };
}

function explainFailure(error: unknown, keywords: readonly Keyword[]): Problem {
  if (error instanceof RangeError) return { path: '', message: ENDLESS };
  if (!(error instanceof UnresolvedReference))
    return { path: '', message: `The schema does not compile: ${messageOf(error)}` };
  const location = keywords.find(({ key, value }) => isReference(key) && value === error.reference);
  return { path: location?.path ?? '', message: error.message };
}

function withoutDialect(schema: JsonSchema | boolean): JsonSchema | boolean {
  if (!isObject(schema) || typeof schema.$schema !== 'string' || !DIALECTS.test(schema.$schema)) return schema;
  const { $schema: _dialect, ...body } = schema;
  return body;
}

const VOCABULARIES = ['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content'];

let compiled: SchemaNode | undefined;

/** The compiled meta-schema of JSON Schema 2020-12. */
function schemaOfSchemas(): SchemaNode {
  compiled ??= compileNodes(resolveAddresses(readAll()));
  return compiled;
}

/** Reads the meta-schema as one document: `$defs` has the vocabularies, each with its own address. */
function readAll(): JsonSchema {
  const $defs = Object.fromEntries(VOCABULARIES.map((name) => [name, read(`meta/${name}`)]));
  return { ...read('schema'), $defs };
}

function read(name: string): JsonSchema {
  return JSON.parse(readFileSync(require.resolve(`ajv/dist/refs/json-schema-2020-12/${name}.json`), 'utf8'));
}

/**
 * Counts the schemas in a schema after each reference is replaced by its target. A reference to a surrounding schema
 * counts as one.
 */
class UnfoldedSizes {
  private readonly sizes = new Map<SchemaNode, number>();

  /** Linear in the number of nodes. */
  of(node: SchemaNode): number {
    const known = this.sizes.get(node);
    if (known !== undefined) return known;
    this.sizes.set(node, 1);
    const size = node.parts.reduce((sum, part) => sum + this.of(part), 1);
    this.sizes.set(node, size);
    return size;
  }

  /** The innermost schema that unfolds to more than `max` schemas; undefined if none does. */
  findLarger(node: SchemaNode, max: number): SchemaNode | undefined {
    let found: SchemaNode | undefined = this.of(node) > max ? node : undefined;
    for (let inner = found; inner;) {
      found = inner;
      inner = inner.parts.find((part) => this.of(part) > max);
    }
    return found;
  }
}
