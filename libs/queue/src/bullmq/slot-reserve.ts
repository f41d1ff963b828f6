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
/** A tenant is light if it has at most this part of the last starts of the tenant that has most of them. */
const LIGHT_PART = 1 / 2;
/** So many starts are counted for each slot. Running jobs would not do: jobs that started together also end together. */
const STARTS_PER_SLOT = 2;
/** The part of the newest run in the mean. */
const NEWEST = 1 / 16;

/** Decides for how long the slot of an ended job stays free. */
export class SlotReserve {
  /** The tenants of the last starts, oldest first, and how often each is among them. */
  private readonly starts: (string | undefined)[] = [];
  private readonly counts = new Map<string | undefined, number>();
  private meanMs: number | undefined;
  private nextAt = 0;

  /** @param slots the number of slots of the consumer */
  constructor(private readonly slots: number) {}

  /** A job of the tenant starts. */
  noteStart(tenant: string | undefined): void {
    this.starts.push(tenant);
    this.counts.set(tenant, (this.counts.get(tenant) ?? 0) + 1);
    if (this.starts.length > this.slots * STARTS_PER_SLOT) this.forget(this.starts.shift());
  }

  /**
   * The run of a job has ended.
   * @param now in ms
   * @param othersWait whether jobs wait for the slot
   * @returns for how long its slot stays free (ms), 0 for not at all
   */
  endOf(tenant: string | undefined, ranMs: number, now: number, othersWait: boolean): number {
    this.meanMs = ranMs * NEWEST + (this.meanMs ?? ranMs) * (1 - NEWEST);
    const ms = Math.floor(Math.min(MOST_MS, this.meanMs * PART));
    if (ms < LEAST_MS || !othersWait || now < this.nextAt || !this.isLight(tenant)) return 0;
    this.nextAt = now + ms / LOSS / this.slots;
    return ms;
  }

  private isLight(tenant: string | undefined): boolean {
    return (this.counts.get(tenant) ?? 0) <= Math.max(...this.counts.values()) * LIGHT_PART;
  }

  private forget(tenant: string | undefined): void {
    const rest = (this.counts.get(tenant) ?? 1) - 1;
    if (rest > 0) this.counts.set(tenant, rest);
    else this.counts.delete(tenant);
  }
}
