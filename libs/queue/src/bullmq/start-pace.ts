import type { MeanRun } from './mean-run.js';
import type { RecentStarts } from './recent-starts.js';

/**
 * Jobs of the same length that start together also end together. A request of a light tenant that comes between two such moments waits long for a
 * slot. Beside a light tenant, a token bucket therefore lets the waiting jobs start one after the other. Their runs then also end one after the
 * other, and a slot is soon free for each request.
 *
 * A slot stays free while a job waits for its start, which costs throughput. Runs of different lengths spread without this, but their jobs would
 * wait again and again. The time of free slots is therefore bounded.
 */

/** The time between two starts is this part of that which keeps all slots busy, and at most `MOST_MS`. */
const PART = 4 / 5;
const MOST_MS = 100;
/** Shorter jobs may start together: a light tenant waits for them only briefly. */
const LEAST_RUN_MS = 5;
/** The part of all slots whose jobs may start together. */
const BURST = 1 / 8;
/** Slots may be free because of this for at most this part of their time. Time that is not used is saved, up to so many ms of each slot. */
const LOSS = 1 / 64;
const SAVED_MS = 500;
/**
 * For how long after the start of its last job a tenant counts as light, and its highest part of an equal share of the last starts. With fewer than
 * four slots, no tenant has so few: there, a single job of another length would bring all runs out of step.
 */
const LIGHT_MS = 60_000;
const LIGHT_PART = 1 / 4;

/** Decides how many waiting jobs a consumer may start now. */
export class StartPace {
  private lightAt = -Infinity;
  /** How many jobs may start at once, when this was last counted (ms). */
  private tokens = 0;
  private countedAt = -Infinity;
  /** For how long slots may be free because of this (ms), summed over slots. */
  private credit = Infinity;
  /** The number of slots that have been free because of this since `countedAt`. */
  private kept = 0;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param slots the number of slots of the consumer
   * @param starts its last starts
   * @param meanRun the mean time of its last runs
   * @param onChange called when a job may start that had to wait
   * @param now in ms
   */
  constructor(
    private readonly slots: number,
    private readonly starts: RecentStarts,
    private readonly meanRun: MeanRun,
    private readonly onChange: () => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** A job starts; `starts` has it already. Those of light tenants do not delay the next. */
  noteStart(tenant: string | undefined): void {
    if (this.starts.isLight(tenant, LIGHT_PART)) this.lightAt = this.now();
    else this.tokens = Math.max(0, this.tokens - 1);
  }

  /** How many jobs may start in `free` slots, while others wait. If none may, `onChange` is called when one may. */
  mayStart(free: number): number {
    const now = this.now();
    const spacing = Math.min(MOST_MS, (this.meanRun.ms / this.slots) * PART);
    this.count(now, spacing);
    const isPaced = this.meanRun.ms >= LEAST_RUN_MS && now - this.lightAt < LIGHT_MS;
    const allowed = isPaced && this.credit > 0 ? Math.min(free, Math.floor(this.tokens)) : free;
    this.kept = free - allowed;
    if (allowed === 0 && free > 0) this.wait(Math.min((1 - this.tokens) * spacing, this.credit / free));
    return allowed;
  }

  private wait(ms: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.onChange();
    }, ms);
  }

  /** Adds the tokens and the credit of the time since the last count. */
  private count(now: number, spacing: number): void {
    const passed = now - this.countedAt;
    this.countedAt = now;
    const most = Math.max(1, this.slots * BURST);
    this.tokens = spacing > 0 ? Math.min(most, this.tokens + passed / spacing) : most;
    // A longer time is one in which the process was stopped.
    if (this.kept > 0) this.credit -= Math.min(passed, MOST_MS) * this.kept;
    this.credit = Math.min(this.slots * SAVED_MS, this.credit + passed * this.slots * LOSS);
  }
}
