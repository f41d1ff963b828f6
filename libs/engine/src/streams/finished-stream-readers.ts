import type { NodeState } from '@errand/contracts';
import type { GraphState } from '../run/graph-state.js';
import type { GraphNode } from '../graph/graph.js';

/** A node that has run, and how that went. */
export interface CompletedNode {
  node: GraphNode;
  state: NodeState;
}

/**
 * Nodes that read a stream and ended before its source did. They count when that has ended: so the journal never holds what was built
 * on something that it does not hold.
 */
export class FinishedStreamReaders {
  private readonly bySource = new Map<GraphNode, CompletedNode[]>();

  constructor(private readonly graph: GraphState) {}

  /** Keeps those back that have to wait, and gives the others. */
  hold(ended: readonly CompletedNode[]): CompletedNode[] {
    return ended.filter((one) => {
      const source = this.graph.openSource(one.node);
      const readers = source && this.bySource.get(source);
      if (readers) readers.push(one);
      else if (source) this.bySource.set(source, [one]);
      return !source;
    });
  }

  /** Gives those back that waited for this source. */
  release(source: GraphNode): readonly CompletedNode[] {
    const readers = this.bySource.get(source);
    if (!readers) return NONE;
    this.bySource.delete(source);
    return readers;
  }
}

const NONE: readonly CompletedNode[] = [];
