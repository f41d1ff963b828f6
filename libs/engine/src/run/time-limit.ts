/** A timer of the runtime cannot be set further; a longer time is waited for in parts. */
const LONGEST_MS = 2 ** 31 - 1;

/** Calls back when a time has passed that can be stopped meanwhile, like a chess clock. */
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

  /** As often as it is paused, so often it must be resumed. */
  pause(): void {
    if (this.pauses++ > 0) return;
    clearTimeout(this.timer);
    this.leftMs -= performance.now() - this.startedAt;
  }

  resume(): void {
    if (--this.pauses === 0) this.start();
  }

  /** For good. */
  stop(): void {
    this.pauses = Infinity;
    clearTimeout(this.timer);
  }

  private start(): void {
    this.startedAt = performance.now();
    this.timer = setTimeout(() => this.tick(), Math.min(Math.max(this.leftMs, 0), LONGEST_MS));
  }

  private tick(): void {
    this.leftMs -= LONGEST_MS;
    if (this.leftMs > 0) this.start();
    else this.onOver();
  }
}
