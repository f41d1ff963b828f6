import type { EndsSubscription } from '@errand/queue';
import type { Patience } from './patience.js';

/** A wait for the ends of several invocations. It may be opened before they exist. It sleeps until notifications come and never polls. */
export class EndsWait {
  constructor(
    private readonly subscription: EndsSubscription,
    private readonly patience: Patience,
    private readonly deadline: number,
  ) {}

  /**
   * Resolves when none is open, or at the deadline.
   * @param readOpen the ids of those that have not ended. It is called twice, unless notifications were lost
   */
  async untilEnded(readOpen: () => Promise<readonly string[]>): Promise<void> {
    while (Date.now() < this.deadline && !this.patience.aborted) {
      this.subscription.begin();
      const open = await readOpen();
      if (open.length === 0) return;
      await this.subscription.untilEnded(open, this.patience, this.deadline - Date.now());
    }
  }

  close(): void {
    this.subscription.close();
    this.patience.end();
  }
}
