import { isObject, own, type Call, type Json, type JsonSchema, type Problem } from '@errand/contracts';
import { shapeOf } from '../values/shape-of.js';
import { bracedTexts, pathOf } from './braced-texts.js';
import { findLookalikes, findTemplates, hasStrayBrace, type FoundTemplate } from './find-templates.js';

/** A template that cannot be resolved, in the arguments of one of the calls (0-based). */
export interface TemplateProblem extends Problem {
  kind: 'invalid_parameters';
  call: number;
}

/** A text that its author may have meant as a template. */
export interface TemplateWarning {
  call: number;
  path: string;
  message: string;
}

/**
 * Finds templates that are wrong before anything runs: unreadable ones, steps that do not exist or do not run earlier,
 * and paths that the output schema excludes. Steps count from 1 over the calls of a submission. Texts that only look
 * like templates are warnings.
 * @param outputs the output schema of each call's tool, if it has one
 */
export function checkTemplates(
  calls: readonly Pick<Call, 'arguments'>[],
  outputs: readonly (JsonSchema | undefined)[] = [],
): { problems: TemplateProblem[]; warnings: TemplateWarning[] } {
  const problems: TemplateProblem[] = [];
  const warnings: TemplateWarning[] = [];
  for (const [call, { arguments: args }] of calls.entries()) {
    for (const braced of bracedTexts(args)) {
      const { text, isName } = braced;
      const templates = findTemplates(text);
      const found = warningsOf(text, templates, isName);
      if (templates.length === 0 && found.length === 0) continue;
      const path = pathOf(braced);
      for (const message of found) warnings.push({ call, path, message });
      if (isName) continue;
      for (const { template, text: shown } of templates) {
        const problem = problemOf(template, call, calls.length, outputs);
        if (problem === undefined) continue;
        problems.push({ kind: 'invalid_parameters', call, path, message: `${shown.slice(0, SHOWN)} ${problem}` });
      }
    }
  }
  return { problems, warnings };
}

const SHOWN = 120;

/** Warns of templates in names, which are never resolved, and of texts that look like templates. */
function warningsOf(text: string, templates: readonly FoundTemplate[], isName: boolean): string[] {
  const lookalikes = findLookalikes(text, templates).map((shown) => `'${shown}' is not a template; it is kept as text`);
  if (templates.length === 0) return lookalikes;
  const found = templates.flatMap(({ template, text: shown }) => {
    if (isName) return [`'${shown.slice(0, SHOWN)}' is in a name, where templates are kept as text`];
    if (!('literal' in template)) return [];
    return [`'${shown.slice(0, SHOWN)}' is text, not a template; the tool gets it without the backslash`];
  });
  const stray =
    !isName && hasStrayBrace(text, templates)
      ? [`'${text.slice(0, SHOWN)}' has a brace too many around its template`]
      : [];
  return [...lookalikes, ...found, ...stray];
}

function problemOf(
  template: FoundTemplate['template'],
  call: number,
  count: number,
  outputs: readonly (JsonSchema | undefined)[],
): string | undefined {
  if ('problem' in template) return template.problem;
  if ('literal' in template) return undefined;
  if ('job' in template) return undefined;
  const { steps, path } = template;
  if (steps < 1 || steps > count) return `names a step that does not exist; the steps are 1 to ${count}`;
  if (steps - 1 >= call) return `is in step ${call + 1}; only an earlier step has a result by then`;
  const output = outputs[steps - 1];
  return output && unknownIn(output, path);
}

/** Returns why a path does not exist in a schema; undefined if it may exist. */
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
