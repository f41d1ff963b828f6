import { setImmediate } from 'node:timers/promises';

/** Collects completed work. One batch holds all items of the same turn of the event loop. */
export class CompletionQueue<T> {
  private items: T[] = [];
  private error: { reason: unknown } | undefined;
  private wake: () => void = () => {};

  add(item: T): void {
    this.items.push(item);
    this.wake();
  }

  /** Makes `takeBatch` throw. */
  fail(reason: unknown): void {
    this.error ??= { reason };
    this.wake();
  }

  /** Waits for at least one item. */
  async takeBatch(): Promise<T[]> {
    if (this.items.length === 0 && !this.error) await new Promise<void>((resolve) => (this.wake = resolve));
    await setImmediate();
    if (this.error) throw this.error.reason;
    const batch = this.items;
    this.items = [];
    return batch;
  }
}
