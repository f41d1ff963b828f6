import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { requireHeld } from '../bullmq/held-lock.js';
import { DELIVERIES, keys } from '../redis/names.js';
import { loadScript } from '../redis/lua-script.js';

/** How many receivers are remembered by their last attempts. */
const REMEMBERED = 10_000;
/** How much of what is known of a receiver's pace its last attempt says; and how quick one is thought to be of whom nothing is known. */
const NEWEST = 0.25;
const UNKNOWN_MS = 100;

/** What the last attempts say of a receiver. */
export interface Pace {
  places: number;
  /** How long an attempt takes, more or less. */
  usualMs: number;
}

/**
 * How many deliveries one process sends to one receiver at a time. Each failure halves the places of its receiver, down to one, and each
 * success adds one again: many receivers that hang must not take all there is.
 */
export class ReceiverLimits {
  private readonly busy = new Map<string, number>();
  private readonly known = new Map<string, Pace>();

  constructor(private readonly perReceiver: number) {}

  /** Whether a delivery may be sent now; if so, `leave` must follow. */
  take(receiver: string): boolean {
    if (this.room(receiver) === 0) return false;
    this.busy.set(receiver, this.taken(receiver) + 1);
    return true;
  }

  /** @param tookMs how long the attempt took */
  leave(receiver: string, succeeded: boolean, tookMs: number): void {
    const left = this.taken(receiver) - 1;
    if (left > 0) this.busy.set(receiver, left);
    else this.busy.delete(receiver);
    const { usualMs = tookMs } = this.known.get(receiver) ?? {};
    const before = this.paceOf(receiver).places;
    const places = succeeded ? Math.min(before + 1, this.perReceiver) : Math.max(Math.floor(before / 2), 1);
    this.known.delete(receiver);
    this.known.set(receiver, { places, usualMs: usualMs + NEWEST * (tookMs - usualMs) });
    if (this.known.size > REMEMBERED) this.known.delete(this.known.keys().next().value as string);
  }

  /** How many places are free. */
  room(receiver: string): number {
    return Math.max(0, this.paceOf(receiver).places - this.taken(receiver));
  }

  paceOf(receiver: string): Pace {
    return this.known.get(receiver) ?? { places: this.perReceiver, usualMs: UNKNOWN_MS };
  }

  private taken(receiver: string): number {
    return this.busy.get(receiver) ?? 0;
  }
}

const PUT = loadScript<-1 | 0 | 1>(join(__dirname, 'defer-delivery.lua'));

const CALL = loadScript<null>(join(__dirname, 'resume-deferred.lua'));

/** @throws SupersededError where another process has the delivery by now; LockLapsedError */
export async function deferDelivery(
  redis: Redis,
  receiver: string,
  { id, token }: { id: string; token: string },
  { places, usualMs }: Pace,
): Promise<void> {
  const sets = (['stalled', 'active', 'delayed', 'marker'] as const).map((set) => keys.set(DELIVERIES, set));
  const put = await PUT.run(
    redis,
    [keys.job(DELIVERIES, id), keys.lock(DELIVERIES, id), ...sets, keys.deferred(receiver)],
    [id, token, Date.now(), places, usualMs],
  );
  requireHeld(id, put);
}

/** Calls up to `count` of those that wait aside for a receiver. One command. */
export async function resumeDeferred(redis: Redis, receiver: string, count: number): Promise<void> {
  const sets = (['delayed', 'marker'] as const).map((set) => keys.set(DELIVERIES, set));
  await CALL.run(redis, [keys.deferred(receiver), ...sets], [Date.now(), count]);
}
