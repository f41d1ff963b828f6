/** The part of the newest run in the mean. */
const NEWEST = 1 / 16;

/** The mean time of the last runs of a consumer. Newer runs count for more. */
export class MeanRun {
  private mean: number | undefined;

  /** In ms. 0 before the first run has ended. */
  get ms(): number {
    return this.mean ?? 0;
  }

  /** A run has ended after `ms`. */
  note(ms: number): void {
    this.mean = ms * NEWEST + (this.mean ?? ms) * (1 - NEWEST);
  }
}
