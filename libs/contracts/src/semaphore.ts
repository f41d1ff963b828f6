/** Permits for at most `permits` pieces of work at a time, first come, first served. Each permit that was taken must be released. */
export class Semaphore {
  private readonly queue: (() => void)[] = [];
  /** The index of the longest waiter. An index, because `shift` costs the length of the queue. */
  private next = 0;

  constructor(private permits: number) {}

  /** Whether a caller waits for a permit. */
  get isWanted(): boolean {
    return this.queue.length > 0;
  }

  /** The number of permits that nobody has taken. */
  get free(): number {
    return this.permits;
  }

  /** Takes a permit if one is free. */
  tryAcquire(): boolean {
    if (this.permits === 0) return false;
    this.permits--;
    return true;
  }

  /** Takes a permit. Returns undefined if one was free, else a promise that resolves when it is taken. */
  acquire(): Promise<void> | undefined {
    return this.tryAcquire() ? undefined : new Promise((resolve) => this.queue.push(resolve));
  }

  /** Starts the work with a permit, at once if one is free. The work must release it. */
  enter(work: () => void): void {
    if (this.tryAcquire()) work();
    else this.queue.push(work);
  }

  /** Runs the work with a permit and releases it afterwards. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.acquire();
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  /** Passes the permit to the longest waiter. */
  release(): void {
    const waiting = this.queue[this.next];
    if (waiting === undefined) {
      this.permits++;
      return;
    }
    this.next++;
    if (this.next === this.queue.length) {
      this.queue.length = 0;
      this.next = 0;
    }
    // Not at once: the next work may end at once as well, and so on, which would make the stack deep.
    queueMicrotask(waiting);
  }
}
