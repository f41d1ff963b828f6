/** At most `permits` pieces of work at a time, first come, first served. */
export class Semaphore {
  private readonly queue: (() => void)[] = [];
  private next = 0;

  constructor(private permits: number) {}

  /** Whether somebody waits for a permit. */
  get isWanted(): boolean {
    return this.queue.length > 0;
  }

  /** Does the work when there is a permit for it, at once if there is one now. What waits costs no more than its place. */
  enter(work: () => void): void {
    if (this.permits === 0) {
      this.queue.push(work);
      return;
    }
    this.permits--;
    work();
  }

  /** Undefined where a permit was to be had at once. */
  take(): Promise<void> | undefined {
    if (this.permits === 0) return new Promise((resolve) => this.queue.push(resolve));
    this.permits--;
    return undefined;
  }

  /** Hands the permit to who has waited longest. The head of the queue is an index: `shift` costs the length of the queue. */
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
    // Not within what has just ended: who comes next may end at once as well, and so on.
    queueMicrotask(waiting);
  }
}
