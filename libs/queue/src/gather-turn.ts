interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** How much is done at a time: so many items, of that weight in all. One that is heavier alone is done alone. */
export interface Load<Item> {
  items: number;
  weight: number;
  weigh: (item: Item) => number;
}

/**
 * Has what is asked for in one turn of the event loop done together (the group commit of databases). Who asks alone waits for
 * nothing: the turn is over when all that has arrived by then has been looked at.
 */
export class GatherTurn<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];

  /** @param together gives a result for each item, in order, or fails for all of them */
  constructor(
    private readonly together: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly load: Load<Item>,
  ) {}

  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ item, resolve, reject }) === 1) setImmediate(() => this.flush());
    });
  }

  private flush(): void {
    const all = this.waiting;
    this.waiting = [];
    for (const some of this.divide(all)) void this.settle(some);
  }

  private divide(all: readonly Waiting<Item, Result>[]): Waiting<Item, Result>[][] {
    const { items, weight: most, weigh } = this.load;
    const parts: Waiting<Item, Result>[][] = [];
    let weight = 0;
    for (const one of all) {
      const part = parts.at(-1);
      const own = weigh(one.item);
      weight += own;
      if (part && part.length < items && weight <= most) part.push(one);
      else {
        parts.push([one]);
        weight = own;
      }
    }
    return parts;
  }

  private async settle(some: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.together(some.map(({ item }) => item));
      some.forEach(({ resolve }, n) => resolve(results[n]!));
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}
