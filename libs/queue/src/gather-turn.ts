interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Has what is asked for in one turn of the event loop done together (the group commit of databases). Who asks alone waits for
 * nothing: the turn is over when all that has arrived by then has been looked at.
 */
export class GatherTurn<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];

  /** @param together gives a result for each item, in order, or fails for all of them; it gets `most` at a time */
  constructor(
    private readonly together: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly most: number,
  ) {}

  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ item, resolve, reject }) === 1) setImmediate(() => this.flush());
    });
  }

  private flush(): void {
    const all = this.waiting;
    this.waiting = [];
    for (let from = 0; from < all.length; from += this.most) void this.settle(all.slice(from, from + this.most));
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
