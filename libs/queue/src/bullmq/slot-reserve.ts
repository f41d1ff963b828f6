import type { MeanRun } from './mean-run.js';
import type { RecentStarts } from './recent-starts.js';

/**
 * After the end of a light tenant's job, its slot stays free for a moment, because a client that was waiting for the result often sends its next
 * request at once. Without this, a job of a flood takes the slot, and jobs of the same length that started together all run until their common
 * end. This is anticipatory scheduling (Iyer and Druschel, 2001), which was made for disks.
 */

/** A slot stays free for at most this part of a mean run, and at most `MOST_MS`. */
const PART = 1 / 12;
const MOST_MS = 20;
/** Shorter reserves are left out: a client needs more time for its next request. */
const LEAST_MS = 2;
/** The highest part of the time of all slots that may be reserved. */
const LOSS = 1 / 16;
/** A tenant is light if it has at most this part of an equal share of the last starts. */
const LIGHT_PART = 3 / 4;

/** Decides for how long the slot of an ended job stays free. */
export class SlotReserve {
  private nextAt = 0;

  /**
   * @param slots the number of slots of the consumer
   * @param starts its last starts
   * @param meanRun the mean time of its last runs
   */
  constructor(
    private readonly slots: number,
    private readonly starts: RecentStarts,
    private readonly meanRun: MeanRun,
  ) {}

  /**
   * The run of a job has ended; `meanRun` has it already.
   * @param now in ms
   * @param othersWait whether jobs wait for the slot
   * @returns for how long its slot stays free (ms), 0 for not at all
   */
  endOf(tenant: string | undefined, now: number, othersWait: boolean): number {
    const ms = Math.floor(Math.min(MOST_MS, this.meanRun.ms * PART));
    if (ms < LEAST_MS || !othersWait || now < this.nextAt || !this.starts.isLight(tenant, LIGHT_PART)) return 0;
    this.nextAt = now + ms / LOSS / this.slots;
    return ms;
  }
}
