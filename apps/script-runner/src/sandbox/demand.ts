/** Containers that are asked for within this time are asked for at once: none can be made in it. In ms. */
const BURST_MS = 2_000;
/** How long a burst is remembered, in ms. */
const MEMORY_MS = 300_000;

/** How many containers of one environment were lately asked for at once: that many should wait. */
export class Demand {
  /** Numbers of requests by burst, oldest first. */
  private bursts: { at: number; count: number }[] = [];

  note(now: number): void {
    const latest = this.bursts.at(-1);
    if (latest && now - latest.at < BURST_MS) latest.count++;
    else this.bursts.push({ at: now, count: 1 });
    this.forget(now);
  }

  peak(now: number): number {
    this.forget(now);
    return this.bursts.reduce((most, { count }) => Math.max(most, count), 0);
  }

  private forget(now: number): void {
    this.bursts = this.bursts.filter(({ at }) => now - at < MEMORY_MS);
  }
}
