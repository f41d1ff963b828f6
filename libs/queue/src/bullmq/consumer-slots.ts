import type { Semaphore } from '@errand/contracts';
import { SlotlessJobs } from '../consume/slotless-jobs.js';

interface SlotUse {
  /** The highest number of jobs at the same time. */
  concurrency: number;
  /** Slots that several consumers of the process share. */
  shared?: Semaphore | undefined;
  /** The part of the free shared slots that one claim may take. It takes one at least. The default is 0. */
  sharedPart?: number | undefined;
  /** Called when a slot may have become free. */
  onChange: () => void;
  /** Called when the shared slots are all taken, although a job may wait. */
  onNoneShared: () => void;
}

/**
 * The slots of a consumer. Its own slots are free again when the run of a job has ended, so that the call that stores the end can take the
 * next job. A shared slot is released when the end is stored. Consumers with shared slots leave some for the others, so that no queue goes first.
 */
export class ConsumerSlots {
  readonly slotless: SlotlessJobs;
  /** Slots of running jobs, and claimed ones. */
  private used = 0;
  /** A shared slot that no job has yet. */
  private permit: 'none' | 'wanted' | 'held' = 'none';

  constructor(private readonly use: SlotUse) {
    this.slotless = new SlotlessJobs({ isFull: () => this.free <= 0, onChange: use.onChange });
  }

  /** The number of free slots. Below 1 for none. */
  get free(): number {
    return this.use.concurrency + this.slotless.count - this.used;
  }

  /** Whether a claim can succeed. A job that waits for a slot to continue comes before the next job of the queue. */
  get isFree(): boolean {
    return this.free > 0 && !this.slotless.isReturning && this.permit !== 'wanted';
  }

  /** Claims up to `most` slots, and returns their number. If all shared slots are taken, it waits for one, and then calls `onChange`. */
  claim(most: number): number {
    if (!this.isFree) return 0;
    const { shared, sharedPart = 0 } = this.use;
    const part = Math.floor((shared?.free ?? 0) * sharedPart);
    if (shared && this.permit === 'none' && !shared.tryAcquire()) {
      void this.requestPermit(shared);
      return 0;
    }
    this.permit = 'none';
    const claimed = shared ? 1 + this.acquireMore(shared, Math.min(most, part) - 1) : Math.min(this.free, most);
    this.used += claimed;
    return claimed;
  }

  /** Acquires up to `most` more shared slots, and returns their number. */
  private acquireMore(shared: Semaphore, most: number): number {
    const allowed = Math.min(most, this.free - 1);
    let count = 0;
    while (count < allowed && shared.tryAcquire()) count++;
    return count;
  }

  /** Returns claimed slots that no job has got. */
  giveBack(count: number): void {
    if (count === 0) return;
    this.used -= count;
    for (let n = 0; n < count; n++) this.use.shared?.release();
    if (this.slotless.count > 0) this.slotless.change();
  }

  /** The run of a job has ended. */
  endRun(id: string): void {
    if (!this.use.shared) this.leave(id);
  }

  /** The end of a job is stored, or another process has the job. */
  endJob(id: string): void {
    if (!this.use.shared) return;
    this.use.shared.release();
    this.leave(id);
  }

  /** Releases a shared slot that was waited for and is not needed any more. */
  dropPermit(): void {
    if (this.permit !== 'held') return;
    this.permit = 'none';
    this.use.shared?.release();
  }

  private leave(id: string): void {
    this.used--;
    if (this.slotless.count > 0) this.slotless.remove(id);
  }

  private async requestPermit(shared: Semaphore): Promise<void> {
    this.permit = 'wanted';
    this.use.onNoneShared();
    await shared.acquire();
    this.permit = 'held';
    this.use.onChange();
  }
}
