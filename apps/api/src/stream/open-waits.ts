/** The open waits of a part of the server. When the server closes, they are aborted, and so is at once each wait that opens later. */
export class OpenWaits<Wait extends { abort(): void } = { abort(): void }> {
  private readonly waits = new Set<Wait>();
  private closing = false;

  /** Whether the server closes. */
  get isClosing(): boolean {
    return this.closing;
  }

  get size(): number {
    return this.waits.size;
  }

  add(wait: Wait): void {
    this.waits.add(wait);
    if (this.closing) wait.abort();
  }

  delete(wait: Wait): void {
    this.waits.delete(wait);
  }

  /** Begins the end: aborts all waits, now and from now on. */
  abortAll(): void {
    this.closing = true;
    for (const wait of this.waits) wait.abort();
  }
}
