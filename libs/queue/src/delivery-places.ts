/** How many receivers whose last delivery failed are remembered. */
const REMEMBERED = 10_000;

/**
 * How many deliveries one process sends to one receiver at a time, and which wait until others are through. A receiver that fails
 * has but one place until it answers again: many that hang must not take all there is.
 */
export class DeliveryPlaces {
  private readonly busy = new Map<string, number>();
  private readonly aside = new Map<string, Set<string>>();
  private readonly failing = new Set<string>();

  constructor(private readonly perReceiver: number) {}

  /** Whether this delivery may be sent now; if so, `leave` must follow. */
  take(receiver: string, id: string): boolean {
    this.forget(receiver, id);
    if (!this.hasRoom(receiver)) return false;
    this.busy.set(receiver, this.taken(receiver) + 1);
    return true;
  }

  /** Notes one that was put aside; returns how many rounds of all places go before it. */
  putAside(receiver: string, id: string): number {
    const waiting = this.aside.get(receiver) ?? new Set();
    this.aside.set(receiver, waiting.add(id));
    return Math.ceil(waiting.size / this.places(receiver));
  }

  leave(receiver: string, succeeded: boolean): void {
    const left = this.taken(receiver) - 1;
    if (left > 0) this.busy.set(receiver, left);
    else this.busy.delete(receiver);
    this.failing.delete(receiver);
    if (!succeeded) this.failing.add(receiver);
    if (this.failing.size > REMEMBERED) this.failing.delete(this.failing.keys().next().value as string);
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
    return this.failing.has(receiver) ? 1 : this.perReceiver;
  }

  private taken(receiver: string): number {
    return this.busy.get(receiver) ?? 0;
  }

  private forget(receiver: string, id: string): void {
    const waiting = this.aside.get(receiver);
    if (waiting?.delete(id) && waiting.size === 0) this.aside.delete(receiver);
  }
}
