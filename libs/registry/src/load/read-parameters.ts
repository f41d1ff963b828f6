import { isDeeperThan, isObject, type Json, type JsonSchema, type Problem } from '@errand/contracts';
import { validatorOf } from '../validate/argument-validator.js';
import { errorsOf, faultsOfSchema } from '../schema/compile-schema.js';
import { explainErrors, FIELD_WORDS } from '../validate/explain-errors.js';
import { escapeKey } from '../files/json-pointer.js';
import { messageIn } from '../files/locate-problem.js';
import { misspeltKeywords, undeclaredRequired } from '../schema/misspelt-keywords.js';
import { isPlain, mapSchemas } from '../schema/plain-schema.js';

/** The dialect of all schemas. The name of another one is dropped, because its schemas are read in this one. */
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Reads the parameters of a tool as an object schema of JSON Schema 2020-12. `defaultValue` means `default`, and `type:
 * object` and all other fields are optional. Problems have JSON Pointers into the schema as it is written.
 */
export function readParameters(written: Json | undefined): { schema: JsonSchema; problems: Problem[] } {
  const schema = schemaOfParameters(written);
  return { schema, problems: faultsOfParameters(schema) };
}

/** The schema of `readParameters`, not checked. */
export function schemaOfParameters(written: Json | undefined): JsonSchema {
  const read: JsonSchema = isObject(written) ? readSchema(written) : {};
  const { $schema: dialect, ...rest } = read;
  return { ...(dialect === DIALECT && { $schema: dialect }), ...rest, type: rest.type ?? 'object' };
}

/** The problems of a schema of `schemaOfParameters`. */
export function faultsOfParameters(schema: JsonSchema): Problem[] {
  const typeFaults =
    schema.type === 'object' ? [] : [{ path: '/type', message: "The type of a tool's parameters must be 'object'" }];
  const asObject: JsonSchema = { ...schema, type: 'object' };
  const faults = [...typeFaults, ...faultsOf(asObject)];
  return isDeeperThan(schema) ? faults : [...faults, ...misspeltKeywords(asObject), ...undeclaredRequired(asObject)];
}

/** Replaces `defaultValue` by `default` in each schema, and drops the name of the dialect. */
export function readSchema(written: JsonSchema): JsonSchema {
  if (isDeeperThan(written)) return written;
  return mapSchemas(written, ({ defaultValue, ...schema }) =>
    defaultValue === undefined || Object.hasOwn(schema, 'default') ? schema : { ...schema, default: defaultValue },
  );
}

/** More problems than this do not help an author. */
const MAX_PROBLEMS = 100;

/** Plain schemas are compiled at their first use. This saves most of the start time with thousands of tools. */
function faultsOf(schema: JsonSchema): Problem[] {
  const faults = faultsOfSchema(schema);
  // A problem of the whole schema (its size or depth) prevents a check of its parts.
  if (faults.some(({ path }) => path === '')) return faults;
  if (faults.length === 0 && !isPlain(schema)) return faultsOfDefaults(validatorOf(schema));
  const faulty = new Set(faults.map(({ path }) => path.split('/')[2]));
  const defaults = Object.entries(isObject(schema.properties) ? schema.properties : {}).flatMap(([name, property]) =>
    isObject(property) && Object.hasOwn(property, 'default') && isPlain(property) && !faulty.has(escapeKey(name))
      ? faultsOfDefaults(validatorOfDefault(name, property))
      : [],
  );
  return [...faults, ...defaults].slice(0, MAX_PROBLEMS);
}

/** Validates empty arguments. Each problem of a value is then a problem of a default. */
function faultsOfDefaults(validate: ReturnType<typeof validatorOf>): Problem[] {
  if (Array.isArray(validate)) return validate;
  const filled = {};
  const errors = errorsOf(validate, filled);
  if (!Array.isArray(errors)) return [errors];
  const problems = explainErrors(
    errors.filter(({ instancePath }) => instancePath !== ''),
    FIELD_WORDS,
  );
  return problems.map((problem) => ({
    path: `/properties/${problem.path.split('/')[1]}`,
    message: `The default does not fit: ${messageIn(filled, problem)}`,
  }));
}

/** Validators by schema: many tools have a parameter with the same name, type and default. */
const validatorsOfDefaults = new Map<string, ReturnType<typeof validatorOf>>();
const MAX_KEPT = 1000;

function validatorOfDefault(name: string, { description, title, ...property }: JsonSchema) {
  const schema = { type: 'object', properties: { [name]: property } };
  const key = JSON.stringify(schema);
  let validate = validatorsOfDefaults.get(key);
  if (!validate) {
    validate = validatorOf(schema);
    if (validatorsOfDefaults.size >= MAX_KEPT) validatorsOfDefaults.clear();
    validatorsOfDefaults.set(key, validate);
  }
  return validate;
}
