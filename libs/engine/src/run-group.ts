import type { JsonObject } from '@errand/contracts';
import type { Attempt } from './attempt.js';
import { mayGiveInstead, type GraphNode } from './graph.js';
import type { NodeHost, Scope } from './run-scope.js';

/**
 * Runs the workflow of a node group. Its streamed outputs are the group's as they come, unless it may be retried or give something
 * else instead: a retry runs the whole group again, under keys of its own, and nobody can take chunks back.
 */
export function runGroup(node: GraphNode, attempt: Attempt, inputs: JsonObject, host: NodeHost): Promise<JsonObject> {
  const { scope, signal, limits, key, isRetried } = attempt;
  const isFinal = (node.stored.retry?.attempts ?? 1) === 1 && !mayGiveInstead(node);
  const inside: Scope = {
    run: scope.run,
    signal,
    prefix: `${key}/`,
    depth: scope.depth + 1,
    limits,
    isRetried,
    onProgress: (value, said) => host.onProgress(node, value, said),
    onStream: (output, stream) => isFinal && host.onStreams(node, new Map([[output, stream]])),
  };
  return attempt.aside(scope.run.runGraph(node.workflow!.stored, inputs, inside));
}
