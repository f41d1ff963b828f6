/** The offsets of the values of one call. They are only listed; a look-up makes a table of them. */
export class ValuePositions {
  private readonly paths: string[] = [];
  private readonly offsets: number[] = [];

  /** @param start the offset of the call itself */
  constructor(private readonly start: number) {}

  /** Records the offset of the value at a JSON Pointer. A later one replaces it. */
  add(path: string, at: number): void {
    this.paths.push(path);
    this.offsets.push(at);
  }

  /** Makes a function that returns the offset of the value at a pointer, or of the nearest written value around it. */
  lookUp(): (path: string) => number {
    const table = new Map(this.paths.map((path, index) => [path, this.offsets[index]]));
    return (path) => {
      for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
        const position = table.get(at);
        if (position !== undefined) return position;
      }
      return this.start;
    };
  }
}
