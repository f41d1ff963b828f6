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
 * `ToolLookup.validate`, less the complaints about values that are not known yet: a template stands for a value of any type, so
 * what the schema says of it is checked when it is resolved. `unread` are pointers to values that were found wrong already.
 */
export function validateArguments(
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

/** A misspelt name is one mistake: that the parameter it was meant for is missing is not told as well. */
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

/** Whether a problem is about one of these values, or about a value around one (of which it may be a consequence). */
function concerns(path: string, open: readonly string[]): boolean {
  return open.some(
    (value) => value === path || path.startsWith(`${value}/`) || (path !== '' && value.startsWith(`${path}/`)),
  );
}

/** Pointers to the texts with templates in them, where the schema declares a value: an unknown parameter stays one. */
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
