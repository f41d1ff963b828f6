import { LRUCache } from 'lru-cache';

/** For how many receivers a process keeps an estimate. */
const MAX_ESTIMATES = 10_000;
/** The weight of the newest attempt in the average duration. */
const NEWEST_WEIGHT = 0.25;
/** The assumed duration of an attempt for an unknown receiver. */
const UNKNOWN_MS = 100;

/** An estimate from the last attempts to send to a receiver. */
export interface ReceiverEstimate {
  /** The number of deliveries that may be sent to the receiver at the same time. */
  limit: number;
  /** The average duration of an attempt, weighted towards the newest. */
  averageMs: number;
}

/**
 * The concurrency limit of each receiver in one process. Each failure halves the limit of its receiver, down to one. Each success adds one
 * again. This keeps many receivers that hang from using all slots.
 */
export class ReceiverLimits {
  private readonly active = new Map<string, number>();
  private readonly estimates = new LRUCache<string, ReceiverEstimate>({ max: MAX_ESTIMATES });

  /** @param most returns the highest limit of a receiver, which can change */
  constructor(private readonly most: () => number) {}

  /** Takes a slot of the receiver and returns true, or returns false if none is free. After true, `release` must follow. */
  tryAcquire(receiver: string): boolean {
    if (this.freeSlots(receiver) === 0) return false;
    this.active.set(receiver, this.activeOf(receiver) + 1);
    return true;
  }

  /** @param tookMs the duration of the attempt */
  release(receiver: string, succeeded: boolean, tookMs: number): void {
    const left = this.activeOf(receiver) - 1;
    if (left > 0) this.active.set(receiver, left);
    else this.active.delete(receiver);
    const { averageMs = tookMs } = this.estimates.get(receiver) ?? {};
    const before = this.estimateOf(receiver).limit;
    const limit = succeeded ? Math.min(before + 1, this.most()) : Math.max(Math.floor(before / 2), 1);
    this.estimates.set(receiver, { limit, averageMs: averageMs + NEWEST_WEIGHT * (tookMs - averageMs) });
  }

  freeSlots(receiver: string): number {
    return Math.max(0, this.estimateOf(receiver).limit - this.activeOf(receiver));
  }

  /**
   * How many deferred deliveries of a receiver may become due when `ended` of its deliveries have ended here: one for each, and one more because a
   * success raises the limit. It is never more than the free slots.
   */
  dueAfter(receiver: string, ended: number): number {
    return Math.min(this.freeSlots(receiver), ended + 1);
  }

  estimateOf(receiver: string): ReceiverEstimate {
    const { limit = Infinity, averageMs = UNKNOWN_MS } = this.estimates.get(receiver) ?? {};
    return { limit: Math.min(limit, this.most()), averageMs };
  }

  private activeOf(receiver: string): number {
    return this.active.get(receiver) ?? 0;
  }
}
