import { isObject, own, type Call, type Json, type JsonSchema, type Problem } from '@errand/contracts';
import { pointer } from '../values/coercion.js';
import { shapeOf } from '../values/shape-of.js';
import { containsTemplate, findTemplates, type Template } from './find-templates.js';

/** A template that can't be resolved, in the arguments of one of the calls (0-based). */
export interface TemplateProblem extends Problem {
  kind: 'invalid_parameters';
  call: number;
}

/**
 * Every template that is known to be wrong before anything runs: one that can't be read, a step that there is not or that does
 * not run earlier, a path that the step's output schema rules out. Steps are counted from 1 over the calls of a submission.
 * @param outputs the output schema of each call's tool, where it has one
 */
export function checkTemplates(
  calls: readonly Pick<Call, 'arguments'>[],
  outputs: readonly (JsonSchema | undefined)[] = [],
): TemplateProblem[] {
  return calls.flatMap(({ arguments: args }, call) =>
    (containsTemplate(args) ? [...textsIn(args, '')] : []).flatMap(({ path, text }) =>
      findTemplates(text).flatMap((found) => {
        const problem =
          'problem' in found.template ? found.template.problem : problemOf(found.template, call, calls.length, outputs);
        return problem === undefined ? [] : [templateProblem(call, path, `${found.text.slice(0, 120)} ${problem}`)];
      }),
    ),
  );
}

function templateProblem(call: number, path: string, message: string): TemplateProblem {
  return { kind: 'invalid_parameters', call, path, message };
}

function problemOf(
  template: Template,
  call: number,
  count: number,
  outputs: readonly (JsonSchema | undefined)[],
): string | undefined {
  if ('job' in template) return undefined;
  const { steps, path } = template;
  if (steps < 1 || steps > count) return `names a step that there is not; the steps are 1 to ${count}`;
  if (steps - 1 >= call) return `stands in step ${call + 1}; only an earlier step has a result by then`;
  const output = outputs[steps - 1];
  return output && unknownIn(output, path);
}

/** Why a path leads nowhere in what a schema describes; undefined: it may lead somewhere. */
function unknownIn(output: JsonSchema, path: readonly string[]): string | undefined {
  let schema: Json | undefined = output;
  for (const segment of path) {
    const shape = shapeOf(schema, output);
    const { types, names } = shape;
    if (!types) return undefined;
    const isIndex = /^\d+$/.test(segment);
    if (types.has('array') && isIndex) schema = shape.item(Number(segment));
    else if (types.has('object')) {
      if (
        !names.includes(segment) &&
        names.length > 0 &&
        isObject(schema) &&
        own(schema, 'additionalProperties') === false
      ) {
        return `leads nowhere: the result has no '${segment}', only ${names.map((name) => `'${name}'`).join(', ')}`;
      }
      schema = shape.property(segment);
    } else return `leads nowhere: there is no '${segment}' in ${[...types].join(' or ')}`;
    if (schema === undefined) return undefined;
  }
  return undefined;
}

function* textsIn(value: Json, path: string): Generator<{ path: string; text: string }> {
  const waiting: { value: Json; path: string }[] = [{ value, path }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (typeof next.value === 'string') yield { path: next.path, text: next.value };
    else if (typeof next.value === 'object' && next.value !== null) {
      for (const [name, child] of Object.entries(next.value).toReversed())
        waiting.push({ value: child, path: pointer(next.path, name) });
    }
  }
}
