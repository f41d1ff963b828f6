import type { ActiveCount } from './active-count.js';
import type { Semaphore } from '@errand/contracts';

/**
 * The permit of one attempt of a node. States:
 * - waiting: `begin` waits for a permit.
 * - working: the node holds a permit and counts as active.
 * - released: the node waits for a chunk, an answer or an inner workflow. It holds no permit and does not count as active.
 * - over: after `end`; the permit is back for good.
 * A released permit lets the nodes run that this node waits for, so that no concurrency limit can cause a deadlock.
 */
export class PermitLease {
  private waits = 0;
  private isOver = false;

  /** Without `permits`, for a node without code of its own. The node counts as active already. */
  constructor(
    private readonly activeCount: ActiveCount,
    private readonly permits: Semaphore | undefined,
    private holds: boolean,
  ) {}

  /** Takes a permit. Returns undefined if a permit is free at once. */
  begin(): Promise<void> | undefined {
    if (this.holds) return undefined;
    const waiting = this.permits?.acquire();
    if (waiting) return waiting.then(() => this.onAcquired());
    this.onAcquired();
    return undefined;
  }

  /** Awaits `wait` without the permit. If several waits overlap, the last one to end takes the permit again. */
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

  /** Lets waiting nodes take the permit first. Returns undefined if no node waits for a permit. */
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

  private onAcquired(): void {
    this.holds = true;
    if (this.isOver) this.release();
  }

  private release(): void {
    if (this.holds) this.permits?.release();
    this.holds = false;
  }
}
