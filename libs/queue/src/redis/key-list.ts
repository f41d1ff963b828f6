/** Keys of a script without duplicates. The plan of the script refers to them by number, from 1. */
export class KeyList {
  readonly keys: string[] = [];
  private readonly numbers = new Map<string, number>();

  numberOf(key: string): number {
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.keys.push(key);
    this.numbers.set(key, number);
    return number;
  }

  numbersOf(keys: readonly string[]): number[] {
    return keys.map((key) => this.numberOf(key));
  }
}
