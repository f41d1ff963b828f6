/**
 * Notices when the process itself stood still: it was stopped, had no processor, or one turn of its event loop took long. Requests that
 * arrived meanwhile lie unread in the kernel, so the process must not blame their clients.
 */
export class Standstill {
  private tickedAt = performance.now();
  private endedAt = -Infinity;

  /** @param tickMs how often `tick` is called, in ms */
  constructor(private readonly tickMs: number) {}

  tick(): void {
    const now = performance.now();
    if (this.isLate(now)) this.endedAt = now;
    this.tickedAt = now;
  }

  /** Whether the process stood still within the last `ms` milliseconds. */
  wasWithin(ms: number): boolean {
    const now = performance.now();
    // Other timers can run before the tick.
    return this.isLate(now) || now - this.endedAt < ms;
  }

  private isLate(now: number): boolean {
    return now - this.tickedAt > 2 * this.tickMs;
  }
}
