import { didYouMean, isObject, own, ToolError, type Json, type JsonObject } from '@errand/contracts';
import { copyObject } from './copy-json.js';
import { hasFallback, type GraphNode, type Slots } from '../graph/graph.js';
import { emptyValue } from '../graph/slot-types.js';

/**
 * Returns a frozen copy of the outputs that a node returned.
 * @throws OutputError if the value is not a JSON object or names an unknown slot
 */
export function readOutputs(node: GraphNode, returned: unknown): JsonObject {
  if (!isObject(returned))
    throw new ToolError('OutputError', 'It did not return an object with a value for each output');
  const outputs = copyObject(returned);
  for (const slot of Object.keys(outputs)) {
    if (own(node.outputs, slot)) continue;
    const suggestion = didYouMean(slot, Object.keys(node.outputs ?? {}));
    const hint = suggestion ? `, did you mean '${suggestion}'?` : '';
    throw new ToolError('OutputError', `It returned '${slot}', which is not one of its outputs${hint}`);
  }
  return outputs;
}

/**
 * The outputs of a failed node with `onError`: null for each slot (`continue`), or `defaultOutputs` and the slots'
 * defaults (`default`).
 */
export function fallbackOutputs(node: GraphNode): JsonObject | undefined {
  const { onError, defaultOutputs } = node.stored;
  if (!hasFallback(node)) return undefined;
  return eachOutput(node.outputs, (name, slot) =>
    onError === 'continue' ? null : (own(defaultOutputs, name) ?? slot.config?.default ?? emptyValue(slot)),
  );
}

function eachOutput(slots: Slots = {}, valueOf: (name: string, slot: Slots[string]) => Json): JsonObject {
  return Object.fromEntries(Object.entries(slots).map(([name, slot]) => [name, valueOf(name, slot)]));
}
