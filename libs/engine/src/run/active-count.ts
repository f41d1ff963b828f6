/**
 * Counts what is at work in a run, and says when nothing is: then all that is left of it waits for something outside.
 * One piece of work hands over to the next within a turn of the event loop, so the count is looked at again after one.
 */
export class ActiveCount {
  private working = 0;
  private looking = false;

  constructor(private readonly onIdle: () => void) {}

  begin(): void {
    this.working++;
  }

  end(pieces = 1): void {
    this.working -= pieces;
    if (this.working > 0 || this.looking) return;
    this.looking = true;
    setImmediate(() => {
      this.looking = false;
      if (this.working === 0) this.onIdle();
    });
  }
}
