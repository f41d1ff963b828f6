import type { Call, Problem, ToolInterface, ToolLookup } from '@errand/contracts';
import type { Findings } from './parse-result.js';
import { coerceArguments } from './values/coerce.js';
import type { Coercion } from './values/coercion.js';
import { checkAttributes } from './values/check-attributes.js';
import { shapeOf } from './values/shape-of.js';
import { ValuePositions } from './values/value-positions.js';
import type { ValueSource, Tag } from './values/value-source.js';
import { validateTemplatedArguments } from './validate-templated-arguments.js';

/** A call as a block contains it: the written name of the tool, and the parameters as text. */
export interface RawCall {
  name: string;
  at: number;
  parameters: readonly ValueSource[];
  /** The elements of the call itself, whose attributes may be parameters. Empty in TAM. */
  tags: readonly Tag[];
  /** The offset behind the element of the call, or behind the field that names its tool. Parameters may come after it. */
  end: number;
}

/**
 * Finds the tool, reads the parameters by its schema, adds defaults and validates them. Problems go to `findings`, at
 * the position of the parameter or of the call. Returns undefined for an unknown tool.
 * @param positions collects where the values are written
 */
export function resolveCall(
  raw: RawCall,
  index: number,
  tools: ToolLookup,
  findings: Findings,
  positions = new ValuePositions(raw.at),
): Call | undefined {
  const tool = tools.find(raw.name);
  if (!tool) {
    const suggestion = tools.suggest(raw.name);
    const more = { call: index, ...(suggestion !== undefined && { suggestion }) };
    findings.error('unknown_tool', raw.at, `Unknown tool '${raw.name.slice(0, 200)}'`, more);
    return undefined;
  }
  const deprecation = deprecationOf(tool);
  if (deprecation !== undefined) findings.warn(raw.at, deprecation, { kind: 'deprecated' });
  const coercion: Coercion = { positions, checked: undefined, problems: [], warnings: [] };
  const shape = shapeOf(tool.parameters, tool.parameters);
  for (const tag of raw.tags) checkAttributes(tag, shape, '', coercion, tag.name !== 'tool_id');
  const given = coerceArguments(raw.parameters, shape, coercion);
  for (const { path, message, at } of coercion.problems) {
    findings.error('invalid_parameters', at, message, { path, call: index });
  }
  for (const { message, at } of coercion.warnings) findings.warn(at, message);
  const unread = coercion.problems.map(({ path }) => path);
  const checked = validateTemplatedArguments(tools, tool, given, unread);
  if (checked.problems.length > 0) reportProblems(checked.problems, index, positions.lookUp(), findings);
  return { toolId: tool.toolId, arguments: checked.arguments };
}

function reportProblems(
  problems: readonly Problem[],
  call: number,
  positionOf: (path: string) => number,
  findings: Findings,
): void {
  for (const { path, message, suggestion } of problems) {
    const more = { path, call, ...(suggestion !== undefined && { suggestion }) };
    findings.error('invalid_parameters', positionOf(path), message, more);
  }
}

/** Returns the warning for a deprecated tool, or undefined. */
export function deprecationOf({
  toolId,
  deprecated,
}: Pick<ToolInterface, 'toolId' | 'deprecated'>): string | undefined {
  if (deprecated === undefined || deprecated === false) return undefined;
  return `Tool ${toolId} is deprecated${typeof deprecated === 'string' ? `: ${deprecated.trim()}` : ''}`;
}
