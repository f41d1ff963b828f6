import type { Failure, Json, JsonObject, StoredSlot, ToolError } from '@errand/contracts';
import { own } from '@errand/contracts';
import type { GraphNode, Link } from './graph.js';

/** How a node ended for those that depend on it: a slot that `outputs` lacks has no value (a branch not taken). */
export type Settled = { outputs: JsonObject } | { failure: ToolError };

/** What has arrived at a node whose sources have all settled. */
export interface Arrivals {
  /** By slot; multi-inputs as lists. */
  values: JsonObject;
  /** Why, where it is a failure that the slot accepts. */
  failures: Record<string, Failure>;
}

/**
 * Gathers what the sources gave, or says how the node is skipped: with the failure of a source that it needs, or, where a source
 * took another branch, without any output. Of a multi-input's values those of branches not taken are left out; it is enough
 * that one is there.
 */
export function gatherArrivals(
  node: GraphNode,
  settledOf: (source: GraphNode) => Settled,
): Arrivals | { skipped: Settled } {
  const arrivals: Arrivals = { values: {}, failures: {} };
  let branchNotTaken = false;
  for (const [name, links] of node.incoming) {
    const slot = own(node.inputs, name);
    const { values, failure } = arrived(links, settledOf);
    if (failure && !slot?.acceptsFailure) return { skipped: { failure } };
    if (failure) arrivals.failures[name] = failure.toFailure();
    if (values.length > 0) arrivals.values[name] = valueOf(slot, values);
    branchNotTaken ||= values.length === 0 && !slot?.acceptsFailure && node.kind !== 'groupOutput';
  }
  return branchNotTaken ? { skipped: { outputs: {} } } : arrivals;
}

function arrived(
  links: readonly Link[],
  settledOf: (source: GraphNode) => Settled,
): { values: Json[]; failure?: ToolError } {
  const values: Json[] = [];
  let failure: ToolError | undefined;
  for (const { source, sourceSlot } of links) {
    const settled = settledOf(source);
    if ('failure' in settled) {
      failure ??= settled.failure;
      continue;
    }
    const value = own(settled.outputs, sourceSlot);
    if (value !== undefined) values.push(value);
  }
  return { values, ...(failure && { failure }) };
}

function valueOf(slot: StoredSlot | undefined, values: Json[]): Json {
  return slot?.multi ? values : values[0]!;
}
