import {
  isDeeperThan,
  MAX_DEPTH,
  type Json,
  type JsonSchema,
  type Problem,
  type ToolInterface,
} from '@errand/contracts';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { compileSchema, errorsOf } from './compile-schema.js';
import { explainErrors, OUTPUT_WORDS } from './explain-errors.js';
import { hasInheritedName, hideNamesInSchema, hideNames, showNamesInProblems } from './inherited-names.js';

const validators = new WeakMap<JsonSchema, ValidateFunction | Problem[]>();

/** What is wrong with the result of a tool by its `output` schema; a tool without one may give anything up to 64 levels deep. */
export function validateOutput({ output }: ToolInterface, value: Json): Problem[] {
  if (isDeeperThan(value)) return [{ path: '', message: `The result nests deeper than ${MAX_DEPTH} levels` }];
  if (!output) return [];
  let validate = validators.get(output);
  if (!validate) {
    validate = compileSchema(hideNamesInSchema(output), 'outputs');
    validators.set(output, validate);
  }
  if (Array.isArray(validate)) return validate;
  const errors = errorsOf(
    validate,
    hasInheritedName(value) || hideNamesInSchema(output) !== output ? hideNames(value) : value,
  );
  return Array.isArray(errors) ? showNamesInProblems(explainErrors(errors, OUTPUT_WORDS)) : [errors];
}
