interface Pending<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** The most that one batch may hold. An item that is heavier by itself gets a batch of its own. */
interface BatchLimit<Item> {
  items: number;
  weight: number;
  weigh: (item: Item) => number;
  /** Once so many items wait, they leave at once. Without it, they wait for the end of the tick and of the running batch. */
  enough?: number;
  /** How long an item waits at most for the end of the batch before it, in ms; 10 by default. */
  holdMs?: number;
}

const HOLD_MS = 10;

/**
 * Runs requests as batches (the group commit of databases). The items of one tick of the event loop share a batch. A single request is not
 * delayed: the tick ends after the events that have already arrived. While a batch runs, the items of later ticks are held until its end,
 * so that a busy process needs fewer and larger batches. A slow batch holds them for 10 ms only.
 *
 * `enough` items leave at once: the server runs them while this process reads further requests. Otherwise the two would work in turn.
 */
export class TickBatcher<Item, Result> {
  private pending: Pending<Item, Result>[] = [];
  private running = 0;
  private hold: NodeJS.Timeout | undefined;

  /** @param run returns a result for each item, in order, or fails for all of them */
  constructor(
    private readonly run: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly limit: BatchLimit<Item>,
  ) {}

  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => this.add({ item, resolve, reject }));
  }

  /** The results of several items, in order. One promise for all costs less than one for each. It rejects with the first error. */
  doAll(items: readonly Item[]): Promise<Result[]> {
    const results: Result[] = [];
    let left = items.length;
    if (left === 0) return Promise.resolve(results);
    return new Promise((resolve, reject) => {
      for (const [n, item] of items.entries()) {
        const settle = (result: Result) => {
          results[n] = result;
          if (--left === 0) resolve(results);
        };
        this.add({ item, resolve: settle, reject });
      }
    });
  }

  private add(pending: Pending<Item, Result>): void {
    const count = this.pending.push(pending);
    if (count === 1) setImmediate(() => this.flushWhenIdle());
    // `nextTick` runs after the promises of this callback, so that all items of one request are in the batch.
    if (count === this.limit.enough) process.nextTick(() => this.flush());
  }

  private flushWhenIdle(): void {
    if (this.pending.length === 0) return;
    if (this.running === 0) this.flush();
    else this.hold ??= setTimeout(() => this.flush(), this.limit.holdMs ?? HOLD_MS);
  }

  private flush(): void {
    clearTimeout(this.hold);
    this.hold = undefined;
    const all = this.pending;
    this.pending = [];
    for (const batch of this.divide(all)) void this.settle(batch);
  }

  private divide(all: readonly Pending<Item, Result>[]): Pending<Item, Result>[][] {
    const { items, weight: most, weigh } = this.limit;
    const batches: Pending<Item, Result>[][] = [];
    let weight = 0;
    for (const one of all) {
      const batch = batches.at(-1);
      const own = weigh(one.item);
      weight += own;
      if (batch && batch.length < items && weight <= most) batch.push(one);
      else {
        batches.push([one]);
        weight = own;
      }
    }
    return batches;
  }

  private async settle(batch: readonly Pending<Item, Result>[]): Promise<void> {
    this.running++;
    try {
      const items: Item[] = [];
      for (const { item } of batch) items.push(item);
      const results = await this.run(items);
      if (results.length !== batch.length)
        throw new Error(`A batch of ${batch.length} returned ${results.length} results`);
      for (const [n, result] of results.entries()) batch[n]?.resolve(result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.running--;
      if (this.running === 0 && this.pending.length > 0) setImmediate(() => this.flushWhenIdle());
    }
  }
}
