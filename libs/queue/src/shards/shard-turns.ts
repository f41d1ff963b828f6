/** The longest turn, in ms: some round trips of a busy Redis. A turn has two ends at which groups are small. */
const LONGEST_MS = 40;
/** The most submissions of one turn: some groups of the scripts, and few enough that a large batch comes to several shards. */
const MOST = 200;

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
