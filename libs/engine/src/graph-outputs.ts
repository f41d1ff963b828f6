import { own, type JsonObject } from '@errand/contracts';
import type { GraphState } from './graph-state.js';
import { isStreamedOutput, type GraphNode } from './graph.js';
import type { Scope } from './run-scope.js';
import { keyIn } from './running-nodes.js';
import { widen } from './slot-types.js';
import { Stream } from './stream.js';

/** What arrives at the group outputs of a graph, by name. */
export class GraphOutputs {
  readonly values: JsonObject = Object.create(null);

  constructor(
    private readonly graph: GraphState,
    private readonly scope: Scope,
  ) {}

  /** A streamed output that came whole is one chunk, unless it was given out before a crash. */
  give(node: GraphNode, arrived: JsonObject): void {
    for (const [name, value] of Object.entries({ ...node.stored.inputValues, ...arrived }))
      this.values[name] = widen(node.inputs![name]!, value);
    for (const link of [...node.incoming.values()].flat()) {
      const value = isStreamedOutput(link) ? own(arrived, link.targetSlot) : undefined;
      const isOld = this.scope.run.journaled.has(keyIn(this.scope, link.source));
      if (value !== undefined && !isOld && !this.graph.streamOf(link)) {
        this.scope.onStream(link.targetSlot, Stream.of(value));
      }
    }
  }
}
