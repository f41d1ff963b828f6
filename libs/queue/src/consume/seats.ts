/** Seats that the consumers of one process share: together they have no more jobs in hand than there are. First come, first seated. */
export class Seats {
  private readonly queue: (() => void)[] = [];

  constructor(private free: number) {}

  /** Takes one where one is free, and nobody was there before. */
  tryTake(): boolean {
    if (this.free === 0) return false;
    this.free--;
    return true;
  }

  /** Takes one, as soon as one is free. */
  async take(): Promise<void> {
    if (!this.tryTake()) await new Promise<void>((resolve) => this.queue.push(resolve));
  }

  /** Gives one back: to who has waited longest. */
  give(): void {
    const next = this.queue.shift();
    if (next) next();
    else this.free++;
  }
}
