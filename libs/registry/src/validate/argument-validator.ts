import type { JsonSchema, Problem } from '@errand/contracts';
import { compileSchema } from '../schema/compile-schema.js';
import type { SchemaValidator } from '../schema/schema-validator.js';

const validators = new WeakMap<JsonSchema, SchemaValidator | Problem[]>();

/** The compiled parameters of a tool, which fill in defaults and refuse what is not declared; or what is wrong with the schema. */
export function validatorOf(parameters: JsonSchema): SchemaValidator | Problem[] {
  let validate = validators.get(parameters);
  if (!validate) {
    validate = compileSchema(closed(parameters), 'inputs');
    validators.set(parameters, validate);
  }
  return validate;
}

/** `unevaluatedProperties` sees through `allOf`, `anyOf` and references, which `additionalProperties` does not. */
function closed(parameters: JsonSchema): JsonSchema {
  const says = 'additionalProperties' in parameters || 'unevaluatedProperties' in parameters;
  return says ? parameters : { ...parameters, unevaluatedProperties: false };
}
