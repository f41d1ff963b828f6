import type { RecentStarts } from './recent-starts.js';

/**
 * All jobs of a consumer start in one thread, so that a job waits for those that were taken with it. A consumer takes many at a time while it
 * serves one tenant: that costs least. While it serves several, it takes at most `SEVERAL`, and no more than start within `TURN_MS`, so that a
 * light tenant does not wait for a large group of another one, neither in Redis nor in the thread. After a job of a light tenant, it takes at
 * most `BESIDE_LIGHT` for a moment, because a client that was waiting for the result often sends its next request at once.
 *
 * The cost of a start is the lower quartile of the last ones: while other processes use the CPU, most starts take longer than they cost.
 */

/** The highest number of jobs at a time for a consumer of several tenants (ADR 155). */
export const SEVERAL = 12;
/** The highest number beside a light tenant (ADR 163), and for how long after the start of its last job (ms). */
export const BESIDE_LIGHT = 4;
const LIGHT_MS = 1_000;
/** A light tenant has at most this part of an equal share of the last starts. */
const LIGHT_PART = 1 / 4;
/** How long the thread may be busy with the jobs of one group (ms). */
const TURN_MS = 2;
/** A consumer serves several tenants until it has had jobs of one alone for this time (ms). */
const ALONE_MS = 60_000;
/** The number of groups whose costs are known, and the place of the lower quartile in their order. */
const GROUPS = 8;
const QUARTILE = 1;

/** How many jobs a consumer takes at a time. */
export class TakeLimit {
  private tenant: string | undefined;
  /** When it last took jobs of two tenants one after the other. */
  private mixedAt = -Infinity;
  /** When the last job of a light tenant started. */
  private lightAt = -Infinity;
  /** For how long a job kept the thread busy at its start, in each of the last groups (ms). */
  private readonly costsMs: number[] = [];

  /**
   * @param most the highest number
   * @param starts the last starts of the consumer
   * @param now in ms
   */
  constructor(
    private readonly most: number,
    private readonly starts: RecentStarts,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The number of jobs that the next call may take: at least 1. */
  get next(): number {
    if (this.now() - this.mixedAt >= ALONE_MS) return this.most;
    const several = this.now() - this.lightAt < LIGHT_MS ? BESIDE_LIGHT : SEVERAL;
    const costMs = this.costsMs.toSorted((a, b) => a - b).at(Math.min(QUARTILE, this.costsMs.length - 1)) ?? 0;
    return Math.min(this.most, several, Math.max(1, Math.floor(TURN_MS / costMs)));
  }

  /** Jobs of these tenants start in this turn of the event loop. It measures how long that takes. A job that waits for nothing also ends in it. */
  noteStarts(tenants: readonly (string | undefined)[]): void {
    if (tenants.length === 0) return;
    for (const tenant of tenants) this.noteTenant(tenant);
    const start = this.now();
    setImmediate(() => this.noteTurn(tenants.length, this.now() - start));
  }

  /** A job starts; `starts` has it already. A job without a tenant counts for none. */
  noteTenant(tenant: string | undefined): void {
    if (tenant === undefined) return;
    if (this.tenant !== undefined && tenant !== this.tenant) this.mixedAt = this.now();
    this.tenant = tenant;
    if (this.starts.isLight(tenant, LIGHT_PART)) this.lightAt = this.now();
  }

  /** The thread was busy for `ms` with the start of some jobs. */
  noteTurn(jobs: number, ms: number): void {
    this.costsMs.push(ms / jobs);
    if (this.costsMs.length > GROUPS) this.costsMs.shift();
  }
}
