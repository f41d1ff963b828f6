import type { NodeState } from '@errand/contracts';
import { MemoryJournal } from '../src/index.js';

/** A journal whose writes end when the test says so. */
export class GatedJournal extends MemoryJournal {
  /** The node ids of each write that has begun. */
  readonly writes: string[][] = [];
  private gate: Promise<void> | undefined;
  private release = (): void => {};
  private fault: Error | undefined;
  private waiting: (() => void)[] = [];
  private seen = 0;

  /** From now on, writes wait for `open`. */
  close(): void {
    this.gate = new Promise((resolve) => (this.release = resolve));
  }

  open(): void {
    this.gate = undefined;
    this.release();
  }

  /** Waiting and later writes fail. */
  break(fault: Error): void {
    this.fault = fault;
    this.open();
  }

  /** Resolves when a write has begun that no call has returned yet. */
  async nextWrite(): Promise<string[]> {
    while (this.seen === this.writes.length) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.writes[this.seen++] ?? [];
  }

  override async write(states: readonly NodeState[]): Promise<void> {
    this.writes.push(states.map(({ nodeId }) => nodeId));
    for (const wake of this.waiting.splice(0)) wake();
    await this.gate;
    if (this.fault) throw this.fault;
    await super.write(states);
  }
}
