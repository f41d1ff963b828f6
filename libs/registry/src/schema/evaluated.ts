/** The properties and items of one value that schemas have evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export class Evaluated {
  private readonly names = new Set<string>();
  private allNames = false;
  private readonly indexes = new Set<number>();
  private itemsBefore = 0;

  addName(name: string): void {
    this.names.add(name);
  }

  addAllNames(): void {
    this.allNames = true;
  }

  addIndex(index: number): void {
    this.indexes.add(index);
  }

  /** The first `count` items are evaluated. */
  addItems(count: number): void {
    this.itemsBefore = Math.max(this.itemsBefore, count);
  }

  hasName(name: string): boolean {
    return this.allNames || this.names.has(name);
  }

  hasIndex(index: number): boolean {
    return index < this.itemsBefore || this.indexes.has(index);
  }

  /** The cost of a merge, in steps. */
  get size(): number {
    return 1 + ((this.names.size + this.indexes.size) >> 1);
  }

  merge(other: Evaluated): void {
    for (const name of other.names) this.names.add(name);
    for (const index of other.indexes) this.indexes.add(index);
    this.allNames ||= other.allNames;
    this.addItems(other.itemsBefore);
  }
}
