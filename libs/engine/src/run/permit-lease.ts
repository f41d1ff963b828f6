import type { ActiveCount } from './active-count.js';
import type { Semaphore } from '@errand/contracts';

/**
 * A node's turn: it holds a permit while its own code works. Whatever it waits for within the engine (a chunk, room for one, an
 * answer, a workflow inside) it waits for aside, without the permit and not counting as active: so those that it waits for can have
 * it, and no bound, however low, can bring them all to a stand.
 */
export class PermitLease {
  private waits = 0;
  private isOver = false;

  /** Without `permits`, for a node that has no code of its own. The node counts as active already. */
  constructor(
    private readonly activeCount: ActiveCount,
    private readonly permits: Semaphore | undefined,
    private holds: boolean,
  ) {}

  /** Takes a permit; undefined where one was to be had at once. */
  begin(): Promise<void> | undefined {
    if (this.holds) return undefined;
    const waiting = this.permits?.acquire();
    if (waiting) return waiting.then(() => this.hold());
    this.hold();
    return undefined;
  }

  /** Waits aside; of several waits at a time the last one takes the permit again. */
  async waitWithoutPermit<T>(wait: Promise<T>): Promise<T> {
    if (this.waits++ === 0) {
      this.release();
      this.activeCount.end();
    }
    try {
      return await wait;
    } finally {
      if (--this.waits === 0 && !this.isOver) {
        this.activeCount.begin();
        await this.begin();
      }
    }
  }

  /** Lets those who wait for a permit go first; undefined where nobody does. */
  yieldPermit(): Promise<void> | undefined {
    if (!this.permits?.isWanted || !this.holds) return undefined;
    this.release();
    return this.begin();
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.release();
    if (this.waits > 0) this.activeCount.begin();
  }

  private hold(): void {
    this.holds = true;
    if (this.isOver) this.release();
  }

  private release(): void {
    if (this.holds) this.permits?.release();
    this.holds = false;
  }
}
