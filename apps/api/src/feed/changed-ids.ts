import { changesAfter, countChangesAfter, newestChanges, type NumberedChange, type Queues } from '@errand/queue';

/** The most changes that wait to be sent. */
const MOST_PENDING = 400;

/** The ids of a tenant that have changed and were not sent yet, and how far the order of changes of each keyspace has been read. */
export class ChangedIds {
  /** The keyspace and the number of the last change by id. The number is absent if only progress or output came. */
  private readonly pending = new Map<string, { keyspace: string; number?: number }>();
  /** The number of the last change that was read, by keyspace. */
  private readonly seen = new Map<string, number>();
  private skipped = 0;

  begin(keyspace: string, number: number): void {
    this.seen.set(keyspace, number);
  }

  has(keyspace: string): boolean {
    return this.seen.has(keyspace);
  }

  /** Adds the changes of a keyspace that came since the last read. If they are too many, only the newest ones. @throws any error of Redis */
  async readFrom(queues: Queues, tenant: string): Promise<void> {
    const { keyspace } = queues;
    const after = this.seen.get(keyspace) ?? 0;
    let changes = await changesAfter(queues, tenant, after, MOST_PENDING + 1);
    if (changes.length > MOST_PENDING) {
      const count = await countChangesAfter(queues, tenant, after);
      changes = await newestChanges(queues, tenant, MOST_PENDING);
      this.skipped += Math.max(0, count - changes.length);
    }
    for (const change of changes) this.add(keyspace, change);
    this.seen.set(keyspace, changes.at(-1)?.number ?? after);
    this.thin();
  }

  /** Adds an invocation whose status has not changed, only its progress. */
  addProgress(keyspace: string, id: string): void {
    if (!this.pending.has(id)) this.pending.set(id, { keyspace });
    this.thin();
  }

  /** Takes the ids that wait longest, and their positions: everything up to a position was sent. */
  take(most: number): { id: string; changes: ReadonlyMap<string, number> }[] {
    const taken = [...this.pending].slice(0, most);
    for (const [id] of taken) this.pending.delete(id);
    // Progress first: it has no number, and the position after a change includes it.
    taken.sort(([, a], [, b]) => (a.number ?? 0) - (b.number ?? 0));
    let position = this.position(taken.map(([, each]) => each));
    return taken.map(([id, { keyspace, number }]) => {
      const limit = this.sentUpTo(keyspace);
      if (number !== undefined) position = new Map(position).set(keyspace, Math.min(number, limit));
      return { id, changes: position };
    });
  }

  /** How many changes were left out since the last call. */
  takeSkipped(): number {
    const { skipped } = this;
    this.skipped = 0;
    return skipped;
  }

  /** The position before everything that waits, or is in `taken`. */
  position(taken: readonly { keyspace: string; number?: number }[] = []): ReadonlyMap<string, number> {
    const position = new Map([...this.seen.keys()].map((keyspace) => [keyspace, this.sentUpTo(keyspace)]));
    for (const { keyspace, number } of taken)
      if (number !== undefined) position.set(keyspace, Math.min(position.get(keyspace) ?? number, number - 1));
    return position;
  }

  private sentUpTo(keyspace: string): number {
    let number = this.seen.get(keyspace) ?? 0;
    for (const each of this.pending.values())
      if (each.keyspace === keyspace && each.number !== undefined) number = Math.min(number, each.number - 1);
    return number;
  }

  private add(keyspace: string, { id, number }: NumberedChange): void {
    this.pending.set(id, { keyspace, number });
  }

  private thin(): void {
    for (const id of this.pending.keys()) {
      if (this.pending.size <= MOST_PENDING) return;
      this.pending.delete(id);
      this.skipped += 1;
    }
  }
}
