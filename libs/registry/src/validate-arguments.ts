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
import { escapeKey } from './json-pointer.js';
import { RESERVED_NAMES } from './read-parameters.js';

/**
 * Fills in the defaults of a tool's parameters and checks the arguments, all problems together. Types are strict (`"5"` is no
 * integer) and unknown parameters are problems, unless the schema says `additionalProperties`.
 *
 * Before templates such as `{{steps.1.result}}` are resolved (`templates: 'open'`) what depends on one is not known yet and passes.
 * Afterwards (`'resolved'`) a text that looks like one is a text: results of untrusted tools pass no check by it. The given arguments
 * are never changed.
 */
export function validateArguments(
  tool: Pick<ToolInterface, 'toolId' | 'parameters'>,
  args: JsonObject,
  templates: 'open' | 'resolved' = 'open',
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
  const problems = explainErrors(
    errors,
    PARAMETER_WORDS,
    knowable(errors, templates === 'open' ? findTemplates(filled) : new Map()),
  );
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

/** Tells which errors stand whatever the templates turn out to be, and do not merely follow from others. Linear time for all. */
function knowable(
  errors: readonly ErrorObject[],
  templates: ReadonlyMap<string, 'whole' | 'part'>,
): (error: ErrorObject) => boolean {
  const aroundTemplates = withAncestors(templates.keys());
  const aroundErrors = withAncestors(errors.map(({ instancePath }) => instancePath));
  const choices = new Set(
    errors.filter(({ keyword }) => /^(?:any|one)Of$/.test(keyword)).map((error) => error.instancePath),
  );
  return ({ keyword, instancePath, params, parentSchema }) => {
    if (keyword === 'unevaluatedProperties') {
      // A property that is wrong, or part of a form that does not fit, does not count as evaluated; that is said already.
      const name = String(params.unevaluatedProperty);
      const isOfChoice = choices.has(instancePath) && declaredNames(parentSchema).includes(name);
      return !isOfChoice && !aroundErrors.has(`${instancePath}/${escapeKey(name)}`);
    }
    const template = templates.get(instancePath);
    if (template) return template === 'part' && keyword === 'type';
    return !aroundTemplates.has(instancePath) || !JUDGE_BY_CONTENT.includes(keyword);
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
