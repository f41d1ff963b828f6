/** The longest turn, in ms: about the time of one command of a busy Redis. */
const LONGEST_MS = 10;
/** The most submissions of one turn. A script enqueues, takes or ends about as many. */
const MOST = 50;

/**
 * Whose turn it is to get the next submission. Submissions that come at about the same time share a turn: the same scripts enqueue, take and
 * end them. One by one to all shards, each would cost the scripts of a group of its own.
 */
export class ShardTurns {
  private turn = 0;
  private placed = 0;
  private begun = -Infinity;

  /** The number of the turn, for a submission at `now` (ms of a clock that never goes back). */
  next(now = performance.now()): number {
    if (now - this.begun >= LONGEST_MS || this.placed >= MOST) {
      this.turn = (this.turn + 1) % 0x1_0000_0000;
      this.placed = 0;
      this.begun = now;
    }
    this.placed++;
    return this.turn;
  }
}
