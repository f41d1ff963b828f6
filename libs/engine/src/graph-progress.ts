import type { GraphNode } from './graph.js';
import type { Said, Scope } from './run-scope.js';

/** How much of a graph is done: each node counts alike, and one that says how far it is counts for so much. It never goes back. */
export class GraphProgress {
  private readonly parts = new Map<GraphNode, number>();
  private readonly count: number;
  private sum = 0;

  constructor(
    nodes: readonly GraphNode[],
    private readonly scope: Scope,
  ) {
    this.count = nodes.filter(counts).length;
  }

  /** One node is so far, from 0 to 1. */
  of(node: GraphNode, value: number, said?: Said): void {
    if (!counts(node)) return;
    const before = this.parts.get(node) ?? 0;
    if (value > before) {
      this.parts.set(node, value);
      this.sum += value - before;
    }
    if (said || (value > before && value < 1)) this.tell(said);
  }

  tell(said?: Said): void {
    // Fractions add up to a little more or less than the whole.
    const all = this.parts.size === this.count && this.sum > this.count - 1e-9;
    this.scope.onProgress(all ? 1 : Math.min(1, this.sum / this.count), said);
  }
}

function counts({ kind }: GraphNode): boolean {
  return kind === 'node' || kind === 'group';
}
