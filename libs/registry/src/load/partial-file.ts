import { isObject, type Problem } from '@errand/contracts';
import type { FileShapes } from '../files/file-shapes.js';
import { keysOf } from '../files/json-pointer.js';

/** Fields that lose only their faulty fields. */
const OPENED = ['parameters', 'output'];
const SLOTS = ['interfaceInputs', 'interfaceOutputs'];
const LISTS = ['nodes', 'edges', 'tools', 'tool_ids_inventory'];

/** The required fields of each kind of file. A partial file without one gets a value that nobody checks. */
const FILLED: Readonly<Record<keyof FileShapes, object>> = {
  tool: { toolId: '', description: '', version: '0.0.0' },
  plugin: { name: '', version: '0.0.0' },
  workflow: { nodes: [], edges: [] },
  agent_profile: { id: '', tool_ids_inventory: [] },
  mcp: { mcpServers: {} },
};

/**
 * Returns a faulty file without its faulty fields, so that all problems are reported at once. It never counts as a
 * definition. Undefined if the file is not an object.
 */
export function partialFileOf<Kind extends keyof FileShapes>(
  kind: Kind,
  value: unknown,
  faults: readonly Problem[],
): FileShapes[Kind] | undefined {
  if (!isObject(value)) return undefined;
  const partial = structuredClone(value);
  for (const { path } of faults) drop(partial, keysOf(path));
  if (Array.isArray(partial.tools))
    partial.tools = partial.tools.map((tool) => ({ id: '', ...(isObject(tool) && tool) }));
  const whole = { ...FILLED[kind], ...partial };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the schema found wrong is gone
  return whole as FileShapes[Kind];
}

function drop(partial: Record<string, unknown>, [first = '', second, third]: string[]): void {
  const value = partial[first];
  if (second !== undefined && LISTS.includes(first) && Array.isArray(value)) dropFromList(value, Number(second), third);
  else if (second !== undefined && SLOTS.includes(first) && isObject(value))
    value[second] = { dataFlowType: 'WILDCARD' };
  else if (second !== undefined && OPENED.includes(first) && isObject(value)) delete value[second];
  else delete partial[first];
}

/** The list keeps its length, so that later problems have the right position. */
function dropFromList(list: unknown[], index: number, field: string | undefined): void {
  const item = list[index];
  if (field !== undefined && isObject(item)) delete item[field];
  else list[index] = {};
}
