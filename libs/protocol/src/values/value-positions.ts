import type { ValueSource } from './value-source.js';

/** The sources of the values of one call. They are only listed; a look-up makes a table of them. */
export class ValuePositions {
  private readonly paths: string[] = [];
  private readonly sources: ValueSource[] = [];

  /** @param start the offset of the call itself */
  constructor(private readonly start: number) {}

  /** Records the source of the value at a JSON Pointer. A later one replaces it. */
  add(path: string, source: ValueSource): void {
    this.paths.push(path);
    this.sources.push(source);
  }

  /** Makes a function that returns the offset of the value at a pointer, or of the nearest written value around it. */
  lookUp(): (path: string) => number {
    const table = this.table();
    return (path) => {
      for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
        const source = table.get(at);
        if (source !== undefined) return source.at;
      }
      return this.start;
    };
  }

  /** The source of each value by its JSON Pointer, in the order of the text. */
  table(): Map<string, ValueSource> {
    const table = new Map<string, ValueSource>();
    for (const [index, path] of this.paths.entries()) {
      const source = this.sources[index];
      if (source) table.set(path, source);
    }
    return table;
  }
}
