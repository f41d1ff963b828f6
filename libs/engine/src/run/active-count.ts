/**
 * Counts the active nodes of a run. It calls `onIdle` when the rest of the run waits for something outside.
 * A node can start another one within a turn of the event loop, so the count is checked one turn after it reaches zero.
 */
export class ActiveCount {
  private active = 0;
  private isCheckScheduled = false;

  constructor(private readonly onIdle: () => void) {}

  get isIdle(): boolean {
    return this.active === 0;
  }

  begin(): void {
    this.active++;
  }

  end(nodes = 1): void {
    this.active -= nodes;
    if (this.active > 0 || this.isCheckScheduled) return;
    this.isCheckScheduled = true;
    setImmediate(() => {
      this.isCheckScheduled = false;
      if (this.active === 0) this.onIdle();
    });
  }
}
