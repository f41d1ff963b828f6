import { setImmediate } from 'node:timers/promises';

/** Where finished work is laid down and taken out in batches: all that came in the same turn of the event loop comes together. */
export class CompletionQueue<T> {
  private items: T[] = [];
  private error: { reason: unknown } | undefined;
  private wake: () => void = () => {};

  put(item: T): void {
    this.items.push(item);
    this.wake();
  }

  /** Makes `take` throw. */
  fail(reason: unknown): void {
    this.error ??= { reason };
    this.wake();
  }

  /** Waits for at least one item. */
  async take(): Promise<T[]> {
    if (this.items.length === 0 && !this.error) await new Promise<void>((resolve) => (this.wake = resolve));
    await setImmediate();
    if (this.error) throw this.error.reason;
    const batch = this.items;
    this.items = [];
    return batch;
  }
}
