import { LRUCache } from 'lru-cache';

/** The last `max` values that were used, by key. A value is made again when the state that it was made from has changed. */
export class RecentValues<T> {
  private readonly made: LRUCache<string, { state: string; value: Promise<T> }>;

  constructor(max: number) {
    this.made = new LRUCache({ max });
  }

  /** Callers that ask at the same time share one promise. A promise that rejects is not kept. */
  get(key: string, state: string, make: () => Promise<T>): Promise<T> {
    const known = this.made.get(key);
    if (known?.state === state) return known.value;
    const value = make();
    this.made.set(key, { state, value });
    value.catch(() => this.made.peek(key)?.value === value && this.made.delete(key));
    return value;
  }
}
