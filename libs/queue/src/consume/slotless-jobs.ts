/** What a worker does for its slotless jobs. */
interface SlotOwner {
  /** Whether all slots are taken. */
  isFull(): boolean;
  /** Called after jobs have given up or taken a slot, with the number of jobs without one. */
  onChange(slotless: number): void;
}

/**
 * The jobs of a worker that give up their slot while they wait, so that another job can take it. States of a job:
 * - holding: it holds a slot. Every job begins like this.
 * - waiting: it waits and holds no slot.
 * - returning: its wait has ended and no slot is free. Returning jobs come before jobs that are still in the queue.
 */
export class SlotlessJobs {
  /** The number of concurrent waits of each job without a slot. 0 while it is returning. */
  private readonly slotless = new Map<string, number>();
  private readonly returning: { id: string; resume: () => void }[] = [];

  constructor(private readonly owner: SlotOwner) {}

  get count(): number {
    return this.slotless.size;
  }

  /** Whether a job waits for a slot to go on. */
  get isReturning(): boolean {
    return this.returning.length > 0;
  }

  /** Resolves with the result of `wait` when the job holds a slot again. The last of several concurrent waits takes the slot. */
  async wait<T>(id: string, wait: Promise<T>): Promise<T> {
    const waits = this.slotless.get(id);
    this.slotless.set(id, (waits ?? 0) + 1);
    if (waits === undefined) this.change();
    try {
      return await wait;
    } finally {
      await this.end(id);
    }
  }

  /** Removes an ended job, in any state. */
  remove(id: string): void {
    this.slotless.delete(id);
    this.change();
  }

  private async end(id: string): Promise<void> {
    const waits = this.slotless.get(id);
    if (waits === undefined) return;
    this.slotless.set(id, waits - 1);
    if (waits > 1) return;
    await new Promise<void>((resume) => {
      this.returning.push({ id, resume });
      this.change();
    });
  }

  /** Gives free slots to returning jobs in the order in which they came. To be called when a slot has become free. */
  change(): void {
    while (this.returning[0] && (!this.owner.isFull() || !this.slotless.has(this.returning[0].id))) {
      const { id, resume } = this.returning.shift()!;
      if (this.slotless.get(id) === 0) this.slotless.delete(id);
      resume();
    }
    this.owner.onChange(this.slotless.size);
  }
}
