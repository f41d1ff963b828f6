import {
  isDeeperThan,
  isObject,
  MAX_DEPTH,
  type JsonObject,
  type JsonSchema,
  type Problem,
  type ToolInterface,
} from '@errand/contracts';
import { validatorOf } from './argument-validator.js';
import { copyArguments } from './copy-arguments.js';
import { errorsOf } from '../schema/compile-schema.js';
import { declaredNames } from './suggest-parameter.js';
import { explainErrors, PARAMETER_WORDS } from './explain-errors.js';
import { escapeKey } from '../files/json-pointer.js';
import type { SchemaError } from '../schema/schema-error.js';
import { problemsOfTurn } from './turn-arguments.js';

/**
 * Fills in the defaults of parameters and validates the arguments, with all problems together. Types are strict (`"5"`
 * is not an integer). Unknown parameters are problems unless the schema has `additionalProperties`. A template such as
 * `{{steps.1.result}}` is treated as a normal string: the protocol excuses it before it is resolved. The given
 * arguments never change. They are returned themselves if no default can apply.
 */
export function validateArguments(
  tool: Pick<ToolInterface, 'toolId' | 'parameters'> & Partial<Pick<ToolInterface, 'kind'>>,
  args: JsonObject,
): { arguments: JsonObject; problems: Problem[] } {
  const refuse = (message: string) => ({ arguments: args, problems: [{ path: '', message }] });
  if (!isObject(args)) return refuse('The arguments must be an object');
  if (isDeeperThan(args)) return refuse(`The arguments nest deeper than ${MAX_DEPTH} levels`);
  const validate = validatorOf(tool.parameters);
  if (Array.isArray(validate))
    return refuse(`The parameters of ${tool.toolId} cannot be checked: ${validate[0]!.message}`);
  const filled: JsonObject = isCopied(tool.parameters) ? copyArguments(args) : args;
  const errors = errorsOf(validate, filled);
  if (!Array.isArray(errors)) return refuse(`The parameters of ${tool.toolId} cannot be checked: ${errors.message}`);
  const problems =
    errors.length === 0 ? [] : explainErrors(errors, { ...PARAMETER_WORDS, given: args }, isNoConsequence(errors));
  return { arguments: filled, problems: tool.kind === 'agent' ? [...problems, ...problemsOfTurn(args)] : problems };
}

const copied = new WeakMap<JsonSchema, boolean>();

/** Whether arguments must be copied before validation, because defaults are filled in in place. */
function isCopied(parameters: JsonSchema): boolean {
  let needed = copied.get(parameters);
  if (needed === undefined) {
    needed = /"(?:default|\$ref|\$dynamicRef)":/.test(JSON.stringify(parameters));
    copied.set(parameters, needed);
  }
  return needed;
}

/** Returns a filter for errors that do not follow from others. Linear time for all errors. */
function isNoConsequence(errors: readonly SchemaError[]): (error: SchemaError) => boolean {
  const aroundErrors = withAncestors(errors.map(({ instancePath }) => instancePath));
  const choices = new Set(
    errors.filter(({ keyword }) => /^(?:any|one)Of$/.test(keyword)).map((error) => error.instancePath),
  );
  return ({ keyword, instancePath, params, parentSchema }) => {
    if (keyword !== 'unevaluatedProperties') return true;
    // A wrong property, or one in a branch that does not match, counts as not evaluated. It has its own error.
    const name = String(params.unevaluatedProperty);
    const isOfChoice = choices.has(instancePath) && declaredNames(parentSchema).includes(name);
    return !isOfChoice && !aroundErrors.has(`${instancePath}/${escapeKey(name)}`);
  };
}

/** The pointers and all their ancestors. */
function withAncestors(pointers: Iterable<string>): Set<string> {
  const all = new Set<string>();
  for (const pointer of pointers) {
    for (let at = pointer; !all.has(at); at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) all.add(at);
  }
  return all;
}
