import type { GraphNode } from './graph.js';
import type { Said, Scope } from './run-scope.js';

/** How much of a graph is done: each node counts alike, and one that says how far it is counts for so much. It never goes back. */
export class GraphProgress {
  /** Of nodes that have said so and are not done. */
  private readonly parts = new Map<GraphNode, number>();
  private readonly count: number;
  private wholes = 0;

  constructor(
    nodes: readonly GraphNode[],
    private readonly scope: Scope,
  ) {
    this.count = nodes.filter(counts).length;
  }

  done(node: GraphNode): void {
    if (!counts(node)) return;
    this.parts.delete(node);
    this.wholes++;
  }

  /** One node is so far, from 0 to 1. */
  of(node: GraphNode, value: number, said?: Said): void {
    if (value > (this.parts.get(node) ?? 0)) this.parts.set(node, value);
    this.tell(said);
  }

  tell(said?: Said): void {
    let sum = this.wholes;
    for (const part of this.parts.values()) sum += part;
    if (this.count > 0) this.scope.onProgress(sum / this.count, said);
  }
}

function counts({ kind }: GraphNode): boolean {
  return kind === 'node' || kind === 'group';
}
