/** So many starts are counted for each slot. Running jobs would not do: jobs that started together also end together. */
const STARTS_PER_SLOT = 2;

type Tenant = string | undefined;

/** How many of the last starts of a consumer each tenant has. */
export class RecentStarts {
  /** The tenants of the last starts, oldest first, and how often each is among them. */
  private readonly starts: Tenant[] = [];
  private readonly counts = new Map<Tenant, number>();

  /** @param slots the number of slots of the consumer */
  constructor(private readonly slots: number) {}

  /** A job of the tenant starts. */
  note(tenant: Tenant): void {
    this.starts.push(tenant);
    this.counts.set(tenant, (this.counts.get(tenant) ?? 0) + 1);
    if (this.starts.length > this.slots * STARTS_PER_SLOT) this.forget(this.starts.shift());
  }

  /** Whether a tenant has at most this part of an equal share of the starts. A tenant that is alone has all of its share. */
  isLight(tenant: Tenant, part: number): boolean {
    return (this.counts.get(tenant) ?? 0) <= (this.starts.length / this.counts.size) * part;
  }

  private forget(tenant: Tenant): void {
    const rest = (this.counts.get(tenant) ?? 1) - 1;
    if (rest > 0) this.counts.set(tenant, rest);
    else this.counts.delete(tenant);
  }
}
