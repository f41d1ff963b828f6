import type { JsonSchema, Problem } from '@errand/contracts';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { compileSchema } from './compile-schema.js';
import { hideNamesInSchema } from './inherited-names.js';

const validators = new WeakMap<JsonSchema, ValidateFunction | Problem[]>();

/** The compiled parameters of a tool, which fill in defaults and refuse what is not declared; or what is wrong with the schema. */
export function validatorOf(parameters: JsonSchema): ValidateFunction | Problem[] {
  let validate = validators.get(parameters);
  if (!validate) {
    validate = compileSchema(closed(hideNamesInSchema(parameters)), 'inputs');
    validators.set(parameters, validate);
  }
  return validate;
}

/** `unevaluatedProperties` sees through `allOf`, `anyOf` and references, which `additionalProperties` does not. */
function closed(parameters: JsonSchema): JsonSchema {
  const says = 'additionalProperties' in parameters || 'unevaluatedProperties' in parameters;
  return says ? parameters : { ...parameters, unevaluatedProperties: false };
}
