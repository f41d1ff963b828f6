import type { NodeState } from '@errand/contracts';
import type { Journal } from './journal.js';

/**
 * Writes to a journal, one write at a time: what comes from any graph of the run while one is under way goes into the next together
 * (the group commit of databases). So the number of writes depends on how long one takes, not on how many nodes end.
 */
export class GroupCommit {
  private pending: NodeState[] = [];
  private next: Promise<void> | undefined;
  private underWay: Promise<void> | undefined;

  constructor(private readonly journal: Journal) {}

  /** Resolves when the entries are safe. */
  write(states: readonly NodeState[]): Promise<void> {
    for (const state of states) this.pending.push(state);
    if (!this.next && !this.underWay) return this.flush();
    this.next ??= this.underWay!.then(() => this.flush());
    return this.next;
  }

  private flush(): Promise<void> {
    const batch = this.pending;
    this.pending = [];
    this.next = undefined;
    this.underWay = this.journal.write(batch).finally(() => (this.underWay = undefined));
    return this.underWay;
  }
}
