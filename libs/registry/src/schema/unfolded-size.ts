import type { SchemaNode } from './schema-node.js';

/** How many schemas a schema is, if every reference is replaced by its target. A reference to a schema around it counts as one. */
export class UnfoldedSizes {
  private readonly sizes = new Map<SchemaNode, number>();

  /** Linear in the number of nodes. */
  of(node: SchemaNode): number {
    const known = this.sizes.get(node);
    if (known !== undefined) return known;
    this.sizes.set(node, 1);
    const size = node.parts.reduce((sum, part) => sum + this.of(part), 1);
    this.sizes.set(node, size);
    return size;
  }

  /** The innermost schema that unfolds to more than `max` schemas; undefined if none does. */
  findLarger(node: SchemaNode, max: number): SchemaNode | undefined {
    let found: SchemaNode | undefined = this.of(node) > max ? node : undefined;
    for (let inner = found; inner;) {
      found = inner;
      inner = inner.parts.find((part) => this.of(part) > max);
    }
    return found;
  }
}
