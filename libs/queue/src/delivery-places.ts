/** How many receivers are remembered by their last attempts. */
const REMEMBERED = 10_000;
/** How much of what is known of a receiver's pace its last attempt says. */
const NEWEST = 0.25;
/** A delivery that waits for its turn looks again after this, at the soonest and at the latest, should who was to call it have died. */
const MIN_ASIDE_MS = 1_000;
const MAX_ASIDE_MS = 60_000;

/** What the last attempts say of a receiver. */
interface Known {
  failed: boolean;
  /** How long an attempt takes, more or less. */
  usualMs: number;
}

/**
 * How many deliveries one process sends to one receiver at a time, and which wait until others are through. A receiver that fails
 * has but one place until it answers again: many that hang must not take all there is.
 */
export class DeliveryPlaces {
  private readonly busy = new Map<string, number>();
  private readonly aside = new Map<string, Set<string>>();
  private readonly known = new Map<string, Known>();

  /** @param attemptMs how long an attempt takes at most: so long it is thought to take where nothing is known yet */
  constructor(
    private readonly perReceiver: number,
    private readonly attemptMs: number,
  ) {}

  /** Whether this delivery may be sent now; if so, `leave` must follow. */
  take(receiver: string, id: string): boolean {
    this.forget(receiver, id);
    if (!this.hasRoom(receiver)) return false;
    this.busy.set(receiver, this.taken(receiver) + 1);
    return true;
  }

  /** Notes one that was put aside; returns in how many ms it should have been called, twice over. */
  putAside(receiver: string, id: string): number {
    const waiting = this.aside.get(receiver) ?? new Set();
    this.aside.set(receiver, waiting.add(id));
    const rounds = Math.ceil(waiting.size / this.places(receiver));
    const turnMs = rounds * (this.known.get(receiver)?.usualMs ?? this.attemptMs);
    return Math.min(Math.max(2 * turnMs, MIN_ASIDE_MS), MAX_ASIDE_MS);
  }

  /** @param tookMs how long the attempt took */
  leave(receiver: string, succeeded: boolean, tookMs: number): void {
    const left = this.taken(receiver) - 1;
    if (left > 0) this.busy.set(receiver, left);
    else this.busy.delete(receiver);
    const before = this.known.get(receiver)?.usualMs ?? tookMs;
    this.known.delete(receiver);
    this.known.set(receiver, { failed: !succeeded, usualMs: before + NEWEST * (tookMs - before) });
    if (this.known.size > REMEMBERED) this.known.delete(this.known.keys().next().value as string);
  }

  /** The delivery that has waited longest where there is room for it; it waits no more. */
  next(receiver: string): string | undefined {
    const first = this.hasRoom(receiver) ? this.aside.get(receiver)?.keys().next().value : undefined;
    if (first !== undefined) this.forget(receiver, first);
    return first;
  }

  private hasRoom(receiver: string): boolean {
    return this.taken(receiver) < this.places(receiver);
  }

  private places(receiver: string): number {
    return this.known.get(receiver)?.failed ? 1 : this.perReceiver;
  }

  private taken(receiver: string): number {
    return this.busy.get(receiver) ?? 0;
  }

  private forget(receiver: string, id: string): void {
    const waiting = this.aside.get(receiver);
    if (waiting?.delete(id) && waiting.size === 0) this.aside.delete(receiver);
  }
}
