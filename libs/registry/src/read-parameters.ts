import { isDeeperThan, isObject, type Json, type JsonSchema, type Problem } from '@errand/contracts';
import { validatorOf } from './argument-validator.js';
import { errorsOf } from './compile-schema.js';
import { declaredNames, explainErrors, FIELD_WORDS } from './explain-errors.js';

/** Keywords that hold one schema or a list of them, and those that hold schemas by name. */
const SCHEMAS =
  `items prefixItems additionalProperties unevaluatedProperties unevaluatedItems contains propertyNames not if then else
  allOf anyOf oneOf`.split(/\s+/);
const NAMED_SCHEMAS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** Names that every object answers to; as a parameter they would invite confusion. */
export const RESERVED_NAMES = ['__proto__', 'constructor', 'prototype'];

/**
 * The parameters of a tool as they are written in its file, read as an object schema of JSON Schema 2020-12: `defaultValue` means
 * `default`, `type: object` may be left out, and so may everything. Problems lead into the schema as it is written.
 */
export function readParameters(written: Json | undefined): { schema: JsonSchema; problems: Problem[] } {
  const read: JsonSchema = isSchema(written) ? readSchema(written) : {};
  const { $schema: _dialect, ...rest } = read;
  const schema: JsonSchema = { ...rest, type: rest.type ?? 'object' };
  if (schema.type !== 'object')
    return { schema, problems: [{ path: '/type', message: "The type of a tool's parameters must be 'object'" }] };
  return { schema, problems: [...reservedNames(schema), ...faultsOf(schema)] };
}

/** Replaces `defaultValue` by `default`, wherever a schema stands. */
export function readSchema(written: JsonSchema): JsonSchema {
  if (isDeeperThan(written)) return written;
  const entries = Object.entries(written).map(([keyword, value]): [string, Json] => {
    if (keyword === 'defaultValue' && !Object.hasOwn(written, 'default')) return ['default', value];
    if (SCHEMAS.includes(keyword)) return [keyword, Array.isArray(value) ? value.map(readNested) : readNested(value)];
    if (NAMED_SCHEMAS.includes(keyword) && isSchema(value)) {
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, child]) => [name, readNested(child)]))];
    }
    return [keyword, value];
  });
  return Object.fromEntries(entries);
}

function readNested(value: Json): Json {
  return isSchema(value) ? readSchema(value) : value;
}

function isSchema(value: Json | undefined): value is JsonSchema {
  return isObject(value);
}

function reservedNames(schema: JsonSchema): Problem[] {
  return declaredNames(schema)
    .filter((name) => RESERVED_NAMES.includes(name))
    .map((name) => ({ path: `/properties/${name}`, message: `A parameter may not be called '${name}'` }));
}

/** Compiles, and tries on no arguments at all: what is then wrong with a value that is there is wrong with a default. */
function faultsOf(schema: JsonSchema): Problem[] {
  const validate = validatorOf(schema);
  if (Array.isArray(validate)) return validate;
  const errors = errorsOf(validate, {});
  if (!Array.isArray(errors)) return [errors];
  return explainErrors(
    errors.filter(({ instancePath }) => instancePath !== ''),
    FIELD_WORDS,
  ).map(({ path, message }) => ({
    path: `/properties/${path.split('/')[1]}`,
    message: `The default does not fit: ${message}`,
  }));
}
