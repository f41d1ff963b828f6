import type { JsonSchema, Problem } from '@errand/contracts';
import { compileSchema } from '../schema/compile-schema.js';
import type { SchemaValidator } from '../schema/schema-validator.js';

const validators = new WeakMap<JsonSchema, SchemaValidator | Problem[]>();

/**
 * The validator for the parameters of a tool, which fills in defaults and refuses undeclared ones; or the problems of
 * the schema.
 */
export function validatorOf(parameters: JsonSchema): SchemaValidator | Problem[] {
  let validate = validators.get(parameters);
  if (!validate) {
    validate = compileSchema(closed(parameters), 'inputs');
    validators.set(parameters, validate);
  }
  return validate;
}

/**
 * Refuses undeclared properties. `unevaluatedProperties` respects `allOf`, `anyOf` and references;
 * `additionalProperties` does not.
 */
function closed(parameters: JsonSchema): JsonSchema {
  const says = 'additionalProperties' in parameters || 'unevaluatedProperties' in parameters;
  return says ? parameters : { ...parameters, unevaluatedProperties: false };
}
