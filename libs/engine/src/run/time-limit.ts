/** The longest timer of the runtime. Longer times need several timers. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls back after a time. The clock can be paused, like a chess clock. */
export class TimeLimit {
  private timer: NodeJS.Timeout | undefined;
  private startedAt = 0;
  private pauses = 0;

  constructor(
    private leftMs: number,
    private readonly onOver: () => void,
  ) {
    this.start();
  }

  /** Pauses nest: each one needs its own `resume`. */
  pause(): void {
    if (this.pauses++ > 0) return;
    clearTimeout(this.timer);
    this.leftMs -= performance.now() - this.startedAt;
  }

  resume(): void {
    if (--this.pauses === 0) this.start();
  }

  /** Stops the clock for good. */
  stop(): void {
    this.pauses = Infinity;
    clearTimeout(this.timer);
  }

  private start(): void {
    this.startedAt = performance.now();
    this.timer = setTimeout(() => this.tick(), Math.min(Math.max(this.leftMs, 0), MAX_TIMER_MS));
  }

  private tick(): void {
    this.leftMs -= MAX_TIMER_MS;
    if (this.leftMs > 0) this.start();
    else this.onOver();
  }
}
