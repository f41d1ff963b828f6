import { didYouMean, isObject, own, ToolError, type Json, type JsonObject } from '@errand/contracts';
import { copyObject } from './copy-json.js';
import { mayGiveInstead, type GraphNode, type Slots } from './graph.js';
import { emptyValue } from './slot-types.js';

/**
 * What a node returned, as its outputs: a frozen copy.
 * @throws OutputError where it is no JSON object or names a slot that the node does not have
 */
export function readOutputs(node: GraphNode, returned: unknown): JsonObject {
  if (!isObject(returned))
    throw new ToolError('OutputError', 'It did not return an object with a value for each output');
  const outputs = copyObject(returned);
  for (const slot of Object.keys(outputs)) {
    if (own(node.outputs, slot)) continue;
    const suggestion = didYouMean(slot, Object.keys(node.outputs ?? {}));
    const hint = suggestion ? `, did you mean '${suggestion}'?` : '';
    throw new ToolError('OutputError', `It returned '${slot}', which is none of its outputs${hint}`);
  }
  return outputs;
}

/** The outputs of a node that failed and may: null each (`continue`), or `defaultOutputs` and the slots' defaults (`default`). */
export function outputsInstead(node: GraphNode): JsonObject | undefined {
  const { onError, defaultOutputs } = node.stored;
  if (!mayGiveInstead(node)) return undefined;
  return eachOutput(node.outputs, (name, slot) =>
    onError === 'continue' ? null : (own(defaultOutputs, name) ?? slot.config?.default ?? emptyValue(slot)),
  );
}

function eachOutput(slots: Slots = {}, valueOf: (name: string, slot: Slots[string]) => Json): JsonObject {
  return Object.fromEntries(Object.entries(slots).map(([name, slot]) => [name, valueOf(name, slot)]));
}
