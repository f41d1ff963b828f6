import {
  isDeeperThan,
  MAX_DEPTH,
  type Json,
  type JsonSchema,
  type Problem,
  type ToolInterface,
  ToolError,
} from '@errand/contracts';
import { compileSchema, errorsOf } from '../schema/compile-schema.js';
import { explainErrors, OUTPUT_WORDS } from './explain-errors.js';
import type { SchemaValidator } from '../schema/schema-validator.js';

const validators = new WeakMap<JsonSchema, SchemaValidator | Problem[]>();

/**
 * The problems of the result of a tool with respect to its `output` schema. Without a schema, any value up to 64 levels
 * deep is valid.
 */
export function validateOutput({ output }: ToolInterface, value: Json): Problem[] {
  if (isDeeperThan(value)) return [{ path: '', message: `The result nests deeper than ${MAX_DEPTH} levels` }];
  if (!output) return [];
  let validate = validators.get(output);
  if (!validate) {
    validate = compileSchema(output, 'outputs');
    validators.set(output, validate);
  }
  if (Array.isArray(validate)) return validate;
  const errors = errorsOf(validate, value);
  return Array.isArray(errors) ? explainErrors(errors, OUTPUT_WORDS) : [errors];
}

/** @throws ToolError OutputError with all problems, for a result that does not match the declaration */
export function requireOutput(tool: ToolInterface, value: Json): void {
  const problems = validateOutput(tool, value);
  if (problems.length === 0) return;
  const messages = problems.map((problem) => problem.message).join('; ');
  throw new ToolError('OutputError', `The result of ${tool.toolId} is not what it declares: ${messages}`, { problems });
}
