import {
  isDeeperThan,
  isObject,
  MAX_DEPTH,
  type JsonObject,
  type JsonSchema,
  type Problem,
  type ToolInterface,
} from '@errand/contracts';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { validatorOf } from './argument-validator.js';
import { errorsOf } from './compile-schema.js';
import { declaredNames, explainErrors, PARAMETER_WORDS } from './explain-errors.js';
import { findTemplates } from './find-templates.js';
import { escapeKey, isWithin } from './json-pointer.js';
import { RESERVED_NAMES } from './read-parameters.js';

/**
 * Fills in the defaults of a tool's parameters and checks the arguments, all problems together. Types are strict (`"5"` is no
 * integer) and unknown parameters are problems, unless the schema says `additionalProperties`.
 *
 * What depends on a template such as `{{steps.1.result}}` is not known yet and passes; check again when it is. The given
 * arguments are never changed.
 */
export function validateArguments(
  tool: ToolInterface,
  args: JsonObject,
): { arguments: JsonObject; problems: Problem[] } {
  const refuse = (message: string) => ({ arguments: args, problems: [{ path: '', message }] });
  if (!isObject(args)) return refuse('The arguments must be an object');
  if (isDeeperThan(args)) return refuse(`The arguments nest deeper than ${MAX_DEPTH} levels`);
  const validate = validatorOf(tool.parameters);
  if (Array.isArray(validate))
    return refuse(`The parameters of ${tool.toolId} cannot be checked: ${validate[0]!.message}`);
  const filled: JsonObject = JSON.parse(JSON.stringify(args));
  const errors = errorsOf(validate, filled);
  if (!Array.isArray(errors)) return refuse(`The parameters of ${tool.toolId} cannot be checked: ${errors.message}`);
  const inherited = inheritedNames(tool.parameters, args);
  const templates = [...findTemplates(filled)];
  const problems = explainErrors(errors, PARAMETER_WORDS, (error) => isKnowable(error, errors, templates));
  return { arguments: filled, problems: [...inherited.filter((problem) => !includes(problems, problem)), ...problems] };
}

/**
 * Arguments with a name that every object inherits (`__proto__`, `toString`): the validator takes some of these for known
 * though no tool declares them.
 */
function inheritedNames(parameters: JsonSchema, args: JsonObject): Problem[] {
  const declared = declaredNames(parameters);
  const isOpen = Object.hasOwn(parameters, 'additionalProperties');
  return Object.keys(args)
    .filter(
      (name) => RESERVED_NAMES.includes(name) || (name in Object.prototype && !isOpen && !declared.includes(name)),
    )
    .map((name) => ({ path: `/${escapeKey(name)}`, message: PARAMETER_WORDS.unknown(name) }));
}

function includes(problems: readonly Problem[], { path }: Problem): boolean {
  return problems.some((problem) => problem.path === path);
}

/** Keywords that judge a value by what lies inside it: where a template lies inside, they cannot judge yet. */
const JUDGE_BY_CONTENT = ['anyOf', 'oneOf', 'not', 'contains', 'uniqueItems', 'enum', 'const'];

/** Whether an error stands whatever the templates turn out to be, and does not merely follow from another. */
function isKnowable(
  { keyword, instancePath, params, parentSchema }: ErrorObject,
  all: readonly ErrorObject[],
  templates: readonly [place: string, kind: 'whole' | 'part'][],
): boolean {
  if (keyword === 'unevaluatedProperties') {
    // A property that is wrong, or part of a form that does not fit, does not count as evaluated; that is said already.
    const name = String(params.unevaluatedProperty);
    const isOfChoice = all.some(
      (other) => other.instancePath === instancePath && /^(?:any|one)Of$/.test(other.keyword),
    );
    if (isOfChoice && declaredNames(parentSchema).includes(name)) return false;
    return !all.some((other) => isWithin(other.instancePath, `${instancePath}/${escapeKey(name)}`));
  }
  return !templates.some(([place, kind]) => {
    if (instancePath === place) return kind === 'whole' || keyword !== 'type';
    return isWithin(place, instancePath) && JUDGE_BY_CONTENT.includes(keyword);
  });
}
