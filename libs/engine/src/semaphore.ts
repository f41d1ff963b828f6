/** At most `permits` pieces of work at a time, first come, first served. */
export class Semaphore {
  private readonly queue: (() => void)[] = [];
  private next = 0;

  constructor(private permits: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.permits > 0) this.permits--;
    else await new Promise<void>((resolve) => this.queue.push(resolve));
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  /** Hands the permit to who has waited longest. The head of the queue is an index: `shift` costs the length of the queue. */
  private release(): void {
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
    waiting();
  }
}
