import {
  isDeeperThan,
  isObject,
  MAX_DEPTH,
  type Json,
  type JsonSchema,
  type Problem,
  type ToolInterface,
  ToolError,
} from '@errand/contracts';
import { compileSchema, errorsOf, faultsOfSchema } from '../schema/compile-schema.js';
import { misspeltKeywords } from '../schema/misspelt-keywords.js';
import { isPlain } from '../schema/plain-schema.js';
import { explainErrors, OUTPUT_WORDS } from './explain-errors.js';
import type { SchemaValidator } from '../schema/schema-validator.js';

const validators = new WeakMap<JsonSchema, SchemaValidator | Problem[]>();

/**
 * The problems of the result of a tool with respect to its `output` schema. Without a schema, any value up to 64 levels
 * deep is valid.
 */
export function validateOutput({ output }: ToolInterface, value: Json): Problem[] {
  return validateAnswer(output ?? true, value);
}

/** The problems of a value with respect to a schema. An invalid schema is a problem of every value. */
export function validateAnswer(schema: JsonSchema | boolean, value: Json): Problem[] {
  if (isDeeperThan(value)) return [{ path: '', message: `The result nests deeper than ${MAX_DEPTH} levels` }];
  if (schema === true) return [];
  let validate = isObject(schema) ? validators.get(schema) : undefined;
  if (!validate) {
    validate = compileSchema(schema, 'outputs');
    if (isObject(schema)) validators.set(schema, validate);
  }
  if (Array.isArray(validate)) return validate;
  const errors = errorsOf(validate, value);
  return Array.isArray(errors) ? explainErrors(errors, OUTPUT_WORDS) : [errors];
}

/** All problems of a schema for results: those that prevent its compilation, and misspelt keywords. */
export function faultsOfOutput(schema: JsonSchema | boolean): Problem[] {
  const faults = faultsOfSchema(schema);
  if (isObject(schema) && !isDeeperThan(schema)) faults.push(...misspeltKeywords(schema));
  if (faults.length > 0 || !isObject(schema) || isPlain(schema)) return faults;
  const compiled = compileSchema(schema, 'outputs');
  return Array.isArray(compiled) ? compiled : [];
}

/** @throws ToolError OutputError with all problems, for a result that does not match the declaration */
export function requireOutput(tool: ToolInterface, value: Json): void {
  const problems = validateOutput(tool, value);
  if (problems.length === 0) return;
  const messages = problems.map((problem) => problem.message).join('; ');
  throw new ToolError('OutputError', `The result of ${tool.toolId} is not what it declares: ${messages}`, { problems });
}
