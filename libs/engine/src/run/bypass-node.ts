import { own, ToolError, type BypassRules, type Json, type JsonObject, type StoredSlot } from '@errand/contracts';
import type { NodeInputs, Settled } from '../streams/node-inputs.js';
import type { GraphNode } from '../graph/graph.js';
import { emptyValue, fits, valueProblem, widen } from '../graph/slot-types.js';

/**
 * Returns the outputs of a bypassed node. The bypass rules of its type decide, if it has any. Otherwise each output
 * takes the first input with a value of a compatible type that no other output has taken (ComfyTavern's rule). A value
 * that does not fit its output becomes the empty value.
 */
export function bypass(node: GraphNode, { values, failures }: Pick<NodeInputs, 'values' | 'failures'>): Settled {
  const rules = node.type?.bypassBehavior;
  if (rules === 'mute') return { outputs: {} };
  const inputs = passable(node, values);
  const sources = rules ? sourcesByRule(node, rules, inputs) : firstFitting(node, inputs);
  const outputs: JsonObject = Object.create(null);
  for (const [name, slot] of Object.entries(node.outputs ?? {})) {
    const source = sources.get(name);
    const failure = source === undefined ? undefined : own(failures, source);
    // A bypassed node does not catch failures, even of an input that accepts them.
    if (failure) return { failure: new ToolError(failure.type, failure.message, failure.details) };
    if (source === undefined && rules?.skipRest && own(rules.defaults, name) === undefined) continue;
    const passed = source === undefined ? undefined : convertFor(node, source, slot, inputs);
    outputs[name] = passed ?? own(rules?.defaults, name) ?? emptyValue(slot);
  }
  return { outputs };
}

/** Maps each output to an input. If a rule names several inputs, the first one with a value counts. */
function sourcesByRule(node: GraphNode, { passThrough = {} }: BypassRules, inputs: JsonObject): Map<string, string> {
  const sources = new Map<string, string>();
  for (const output of Object.keys(node.outputs ?? {})) {
    const named = [own(passThrough, output) ?? []].flat();
    const source = named.find((name) => own(inputs, name) !== undefined) ?? named[0];
    if (source !== undefined) sources.set(output, source);
  }
  return sources;
}

function firstFitting(node: GraphNode, inputs: JsonObject): Map<string, string> {
  const sources = new Map<string, string>();
  const free = new Set(Object.keys(inputs));
  for (const [output, slot] of Object.entries(node.outputs ?? {})) {
    for (const name of free) {
      const input = own(node.inputs, name);
      if (!input || !fits(input, slot) || convertFor(node, name, slot, inputs) === undefined) continue;
      sources.set(output, name);
      free.delete(name);
      break;
    }
  }
  return sources;
}

/**
 * The value of an input converted for an output, or undefined if it does not fit. A multi-input passes its first value
 * to a single output.
 */
function convertFor(node: GraphNode, input: string, output: StoredSlot, inputs: JsonObject): Json | undefined {
  const value = own(inputs, input);
  const single = own(node.inputs, input)?.multi && !output.multi && Array.isArray(value) ? value[0] : value;
  if (single === undefined) return undefined;
  const widened = widen(output, single);
  return valueProblem(output, widened) === undefined ? widened : undefined;
}

/** The inputs of a bypassed node that have a value. Required inputs may be missing. */
function passable(node: GraphNode, values: JsonObject): JsonObject {
  const given = { ...node.stored.inputValues, ...values };
  const inputs: JsonObject = Object.create(null);
  for (const [name, slot] of Object.entries(node.inputs ?? {})) {
    const value = own(given, name) ?? slot.config?.default;
    if (value !== undefined) inputs[name] = value;
  }
  return inputs;
}
