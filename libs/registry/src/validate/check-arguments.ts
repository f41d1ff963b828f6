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
import { errorsOf } from '../schema/compile-schema.js';
import { declaredNames } from '../load/declared-names.js';
import { explainErrors, PARAMETER_WORDS } from './explain-errors.js';
import { escapeKey } from '../files/json-pointer.js';
import type { SchemaError } from '../schema/schema-error.js';

/**
 * Fills in the defaults of a tool's parameters and checks the arguments, all problems together. Types are strict (`"5"` is no
 * integer) and unknown parameters are problems, unless the schema says `additionalProperties`. A template such as
 * `{{steps.1.result}}` is a text like any: what it excuses before it is resolved is for the protocol to say. The given arguments are
 * never changed; where nothing can be filled in, they are given back themselves.
 */
export function validateArguments(
  tool: Pick<ToolInterface, 'toolId' | 'parameters'>,
  args: JsonObject,
): { arguments: JsonObject; problems: Problem[] } {
  const refuse = (message: string) => ({ arguments: args, problems: [{ path: '', message }] });
  if (!isObject(args)) return refuse('The arguments must be an object');
  if (isDeeperThan(args)) return refuse(`The arguments nest deeper than ${MAX_DEPTH} levels`);
  const validate = validatorOf(tool.parameters);
  if (Array.isArray(validate))
    return refuse(`The parameters of ${tool.toolId} cannot be checked: ${validate[0]!.message}`);
  const filled: JsonObject = isCopied(tool.parameters) ? JSON.parse(JSON.stringify(args)) : args;
  const errors = errorsOf(validate, filled);
  if (!Array.isArray(errors)) return refuse(`The parameters of ${tool.toolId} cannot be checked: ${errors.message}`);
  const problems =
    errors.length === 0 ? [] : explainErrors(errors, { ...PARAMETER_WORDS, given: args }, isNoConsequence(errors));
  return { arguments: filled, problems };
}

const copied = new WeakMap<JsonSchema, boolean>();

/** Whether arguments are copied before they are checked: where defaults may be filled in, which is done in place. */
function isCopied(parameters: JsonSchema): boolean {
  let needed = copied.get(parameters);
  if (needed === undefined) {
    needed = /"(?:default|\$ref|\$dynamicRef)":/.test(JSON.stringify(parameters));
    copied.set(parameters, needed);
  }
  return needed;
}

/** Tells which errors do not merely follow from others. Linear time for all. */
function isNoConsequence(errors: readonly SchemaError[]): (error: SchemaError) => boolean {
  const aroundErrors = withAncestors(errors.map(({ instancePath }) => instancePath));
  const choices = new Set(
    errors.filter(({ keyword }) => /^(?:any|one)Of$/.test(keyword)).map((error) => error.instancePath),
  );
  return ({ keyword, instancePath, params, parentSchema }) => {
    if (keyword !== 'unevaluatedProperties') return true;
    // A property that is wrong, or part of a form that does not fit, does not count as evaluated; that is said already.
    const name = String(params.unevaluatedProperty);
    const isOfChoice = choices.has(instancePath) && declaredNames(parentSchema).includes(name);
    return !isOfChoice && !aroundErrors.has(`${instancePath}/${escapeKey(name)}`);
  };
}

/** The pointers and those to everything around what they point to. */
function withAncestors(pointers: Iterable<string>): Set<string> {
  const all = new Set<string>();
  for (const pointer of pointers) {
    for (let at = pointer; !all.has(at); at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) all.add(at);
  }
  return all;
}
