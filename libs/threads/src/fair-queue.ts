/** A queue in which keys take turns: the many entries of one key do not delay the first entry of another. All steps take constant time. */
export class FairQueue<T> {
  /** The entries of each key in the order of their arrival. The first key of the map is the next one to be served. */
  private readonly entries = new Map<string, Set<T>>();

  push(key: string, entry: T): void {
    const own = this.entries.get(key);
    if (own) own.add(entry);
    else this.entries.set(key, new Set([entry]));
  }

  /** Removes and returns the next entry; its key moves to the end of the round. */
  shift(): T | undefined {
    for (const [key, own] of this.entries) {
      this.entries.delete(key);
      for (const entry of own) {
        own.delete(entry);
        if (own.size > 0) this.entries.set(key, own);
        return entry;
      }
    }
    return undefined;
  }

  delete(key: string, entry: T): void {
    const own = this.entries.get(key);
    own?.delete(entry);
    if (own?.size === 0) this.entries.delete(key);
  }
}
