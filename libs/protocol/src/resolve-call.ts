import type { Call, ToolLookup } from '@errand/contracts';
import type { Findings } from './parse-result.js';
import { deprecationOf } from './observe/deprecation.js';
import { coerceArguments } from './values/coerce.js';
import type { Coercion } from './values/coercion.js';
import { checkAttributes } from './values/check-attributes.js';
import { shapeOf } from './values/shape-of.js';
import type { Source, Tag } from './values/source.js';
import { validateArguments } from './validate-arguments.js';

/** A call as a block gives it: the tool by the name that stands there, the parameters as text. */
export interface RawCall {
  name: string;
  at: number;
  parameters: readonly Source[];
  /** The elements of the call itself, whose attributes might be parameters; none in TAM. */
  tags: readonly Tag[];
}

/**
 * Looks the tool up, reads the parameters by its schema, fills in defaults and checks them. Everything wrong goes to
 * `findings`, at the place of the parameter, or of the call where there is none. Undefined: there is no such tool.
 */
export function resolveCall(raw: RawCall, index: number, tools: ToolLookup, findings: Findings): Call | undefined {
  const tool = tools.find(raw.name);
  if (!tool) {
    const suggestion = tools.suggest(raw.name);
    const more = { call: index, ...(suggestion !== undefined && { suggestion }) };
    findings.error('unknown_tool', raw.at, `Unknown tool '${raw.name.slice(0, 200)}'`, more);
    return undefined;
  }
  const deprecation = deprecationOf(tool);
  if (deprecation !== undefined) findings.warn(raw.at, deprecation, { kind: 'deprecated' });
  const places = new Map([['', raw.at]]);
  const coercion: Coercion = { root: tool.parameters, places, checked: new Set(), problems: [], warnings: [] };
  const shape = shapeOf(tool.parameters, tool.parameters);
  for (const tag of raw.tags) checkAttributes(tag, shape, '', coercion, tag.name !== 'tool_id');
  const given = coerceArguments(raw.parameters, coercion);
  for (const { path, message, at } of coercion.problems) {
    findings.error('invalid_parameters', at, message, { path, call: index });
  }
  for (const { message, at } of coercion.warnings) findings.warn(at, message);
  const unread = coercion.problems.map(({ path }) => path);
  const checked = validateArguments(tools, tool, given, unread);
  for (const { path, message, suggestion } of checked.problems) {
    const more = { path, call: index, ...(suggestion !== undefined && { suggestion }) };
    findings.error('invalid_parameters', placeOf(path, coercion.places), message, more);
  }
  return { toolId: tool.toolId, arguments: checked.arguments };
}

/** The place of the value at a JSON Pointer, or of the nearest value around it that stands in the text. */
function placeOf(path: string, places: ReadonlyMap<string, number>): number {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const place = places.get(at);
    if (place !== undefined) return place;
  }
  return places.get('')!;
}
