/** How many receivers are remembered by their last attempts. */
const REMEMBERED = 10_000;
/** How much of what is known of a receiver's pace its last attempt says; and how quick one is thought to be of whom nothing is known. */
const NEWEST = 0.25;
const UNKNOWN_MS = 100;
/** A delivery that waits aside looks again after this, at the soonest and at the latest, should nobody be left to call it. */
const MIN_ASIDE_MS = 1_000;
const MAX_ASIDE_MS = 60_000;

/** What the last attempts say of a receiver. */
interface Known {
  places: number;
  /** How long an attempt takes, more or less. */
  usualMs: number;
}

/**
 * How many deliveries one process sends to one receiver at a time. Each failure halves the places of its receiver, down to one, and each
 * success adds one again: many receivers that hang must not take all there is.
 */
export class DeliveryPlaces {
  private readonly busy = new Map<string, number>();
  private readonly known = new Map<string, Known>();

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
    const before = this.places(receiver);
    const places = succeeded ? Math.min(before + 1, this.perReceiver) : Math.max(Math.floor(before / 2), 1);
    this.known.delete(receiver);
    this.known.set(receiver, { places, usualMs: usualMs + NEWEST * (tookMs - usualMs) });
    if (this.known.size > REMEMBERED) this.known.delete(this.known.keys().next().value as string);
  }

  /** How many places are free. */
  room(receiver: string): number {
    return Math.max(0, this.places(receiver) - this.taken(receiver));
  }

  /** In how many ms a delivery should have had its turn, twice over, where so many wait for one before it. */
  turnMs(receiver: string, waiting: number): number {
    const rounds = Math.ceil((waiting + 1) / this.places(receiver));
    const turnMs = rounds * (this.known.get(receiver)?.usualMs ?? UNKNOWN_MS);
    return Math.ceil(Math.min(Math.max(2 * turnMs, MIN_ASIDE_MS), MAX_ASIDE_MS));
  }

  private places(receiver: string): number {
    return this.known.get(receiver)?.places ?? this.perReceiver;
  }

  private taken(receiver: string): number {
    return this.busy.get(receiver) ?? 0;
  }
}
