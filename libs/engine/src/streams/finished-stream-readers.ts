import type { NodeState } from '@errand/contracts';
import type { GraphState } from '../run/graph-state.js';
import type { GraphNode } from '../graph/graph.js';

/** A node that has run, with its final state. */
export interface CompletedNode {
  node: GraphNode;
  state: NodeState;
  /** Whether a run of the node or of a tool that it called may have had effects. */
  hasActed: boolean;
}

/**
 * Nodes that read a stream and ended before its source. They are held back until the source has ended, so that the
 * journal never holds an outcome that depends on a missing one.
 */
export class FinishedStreamReaders {
  private readonly bySource = new Map<GraphNode, CompletedNode[]>();

  constructor(private readonly graph: GraphState) {}

  /** Holds back the nodes with an open source. Returns the others. */
  holdBack(completed: readonly CompletedNode[]): CompletedNode[] {
    return completed.filter((one) => {
      const source = this.graph.openSource(one.node);
      const readers = source && this.bySource.get(source);
      if (readers) readers.push(one);
      else if (source) this.bySource.set(source, [one]);
      return !source;
    });
  }

  /** Returns the nodes that waited for the end of this source. */
  release(source: GraphNode): readonly CompletedNode[] {
    const readers = this.bySource.get(source);
    if (!readers) return NONE;
    this.bySource.delete(source);
    return readers;
  }
}

const NONE: readonly CompletedNode[] = [];
