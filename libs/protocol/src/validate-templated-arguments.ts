import {
  isDeeperThan,
  isObject,
  own,
  type Json,
  type JsonObject,
  type Problem,
  type ToolLookup,
  type ToolInterface,
} from '@errand/contracts';
import { containsTemplate } from './templates/find-templates.js';
import { nameOfPath, pointer } from './values/coercion.js';
import { shapeOf } from './values/shape-of.js';

/**
 * `ToolLookup.validate` without the problems of unknown values. A template can have a value of any type, so its value is
 * validated when the template is resolved. `unread` holds pointers to values that are already reported as wrong.
 */
export function validateTemplatedArguments(
  tools: ToolLookup,
  tool: ToolInterface,
  args: JsonObject,
  unread: readonly string[] = [],
) {
  const checked = tools.validate(tool, args);
  if (checked.problems.length === 0) return checked;
  const isTemplated = containsTemplate(args) && !isDeeperThan(args);
  const open = [...unread, ...(isTemplated ? templatedValues(args, tool.parameters, '', tool) : [])];
  const problems = checked.problems.filter(({ path }) => !concerns(path, open));
  return { arguments: checked.arguments, problems: withoutConsequences(problems, args) };
}

/** A misspelt name is one mistake. The missing parameter that it was meant for is not reported as well. */
function withoutConsequences(problems: readonly Problem[], args: JsonObject): Problem[] {
  const meant = new Set(problems.flatMap(({ suggestion }) => (suggestion === undefined ? [] : [suggestion])));
  return problems.filter(({ path }) => !meant.has(nameOfPath(path)) || isGiven(args, path));
}

function isGiven(args: JsonObject, path: string): boolean {
  const keys = path.slice(1).split('/');
  let value: Json | undefined = args;
  for (const key of keys) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = value[Number(name)];
    else value = isObject(value) ? own(value, name) : undefined;
  }
  return value !== undefined;
}

/** Whether a problem is about one of these values, or about a value around one, which may follow from it. */
function concerns(path: string, open: readonly string[]): boolean {
  return open.some(
    (value) => value === path || path.startsWith(`${value}/`) || (path !== '' && value.startsWith(`${path}/`)),
  );
}

/** Yields pointers to texts with templates, if the schema declares the value. Unknown parameters remain problems. */
function* templatedValues(value: Json, schema: Json | undefined, path: string, tool: ToolInterface): Generator<string> {
  if (typeof value === 'string') {
    if (schema !== undefined && containsTemplate(value)) yield path;
  } else if (Array.isArray(value)) {
    const shape = shapeOf(schema, tool.parameters);
    for (const [index, item] of value.entries())
      yield* templatedValues(item, shape.item(index), pointer(path, index), tool);
  } else if (isObject(value)) {
    const shape = shapeOf(schema, tool.parameters);
    for (const [name, item] of Object.entries(value)) {
      yield* templatedValues(item, shape.property(name), pointer(path, name), tool);
    }
  }
}
