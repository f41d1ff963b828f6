/** A waiting job of the model. */
interface WaitingJob {
  id: string;
  order: number;
}

const COMING = 2 ** 31;
const PRIORITY_STEP = 2 ** 32;

/** The members that have work, by virtual time. The same rules as `fair/ring.lua`, in plain code. */
class Ring {
  private readonly times = new Map<string, number>();
  private readonly ahead = new Map<string, number>();
  private clock = 0;

  /** @param isFreeAlone whether a member that is alone pays nothing */
  constructor(private readonly isFreeAlone: boolean) {}

  get size(): number {
    return this.times.size;
  }

  join(member: string): void {
    if (this.times.has(member)) return;
    this.times.set(member, Math.max(this.clock, this.ahead.get(member) ?? 0));
    this.ahead.delete(member);
  }

  /** The member with the lowest time; of several, the first by name. */
  first(): string | undefined {
    const sorted = [...this.times].toSorted(([a, left], [b, right]) => left - right || (a < b ? -1 : 1));
    return sorted[0]?.[0];
  }

  pass(member: string, step: number, stays: boolean): void {
    const time = this.times.get(member) ?? 0;
    const isAlone = this.times.size === 1;
    this.clock = time;
    if (stays) {
      if (!isAlone || !this.isFreeAlone) this.times.set(member, time + step);
      return;
    }
    this.times.delete(member);
    if (isAlone) this.forget();
    else {
      this.ahead.set(member, time + step);
      for (const [other, until] of this.ahead) if (until <= time) this.ahead.delete(other);
    }
  }

  leave(member: string): void {
    const time = this.times.get(member) ?? 0;
    this.times.delete(member);
    if (this.times.size === 0) this.forget();
    else if (time > this.clock) this.ahead.set(member, time);
  }

  charge(member: string, step: number): void {
    const isAlone = this.times.size === 1 && this.times.has(member);
    if (this.times.size === 0 || isAlone) return;
    const time = this.times.get(member);
    if (time !== undefined) this.times.set(member, Math.max(this.clock, time + step));
    else {
      const corrected = (this.ahead.get(member) ?? this.clock) + step;
      if (corrected > this.clock) this.ahead.set(member, corrected);
      else this.ahead.delete(member);
    }
  }

  private forget(): void {
    this.ahead.clear();
    this.clock = 0;
  }
}

/** The oracle of admission: which waiting job of a queue starts next. Lanes are named as in `fair/lanes.lua`. */
export class FairModel {
  private readonly rings = new Map<string, Ring>();
  private readonly lanes = new Map<string, WaitingJob[]>();
  readonly weights = new Map<string, number>();
  private count = 0;
  private mean: number | undefined;

  get waiting(): number {
    return [...this.lanes.values()].reduce((sum, { length }) => sum + length, 0);
  }

  put(lane: string, id: string, priority = 0, returns = false): void {
    const [level = '', tenant = '', key = ''] = lane.split(':');
    const jobs = this.lanes.get(lane) ?? [];
    if (this.waiting === 0) this.count = 0;
    jobs.push({ id, order: priority * PRIORITY_STEP + (returns ? 0 : COMING) + ++this.count });
    this.lanes.set(
      lane,
      jobs.toSorted((a, b) => a.order - b.order),
    );
    this.ring(`${level}:${tenant}`).join(key);
    this.ring(level).join(tenant);
  }

  /** The job that starts next. */
  admit(): string | undefined {
    const level = this.firstLevel();
    if (level === undefined) return undefined;
    const tenants = this.ring(level);
    const tenant = tenants.first() ?? '';
    const keys = this.ring(`${level}:${tenant}`);
    const key = keys.first() ?? '';
    const jobs = this.lanes.get(`${level}:${tenant}:${key}`) ?? [];
    const job = jobs.shift();
    keys.pass(key, 1, jobs.length > 0);
    tenants.pass(tenant, 1 / (this.weights.get(tenant) ?? 1), keys.size > 0);
    return job?.id;
  }

  remove(lane: string, id: string): void {
    const [level = '', tenant = '', key = ''] = lane.split(':');
    const jobs = this.lanes.get(lane) ?? [];
    const left = jobs.filter((job) => job.id !== id);
    if (left.length === jobs.length) return;
    this.lanes.set(lane, left);
    if (left.length > 0) return;
    this.ring(`${level}:${tenant}`).leave(key);
    if (this.ring(`${level}:${tenant}`).size === 0) this.ring(level).leave(tenant);
  }

  end(lane: string, ms: number): void {
    const [level = '', tenant = '', key = ''] = lane.split(':');
    if (this.waiting === 0) return;
    const held = Math.max(0, ms) + 5;
    const mean = this.mean ?? held;
    this.mean = mean + (held - mean) / 32;
    const step = Math.min(Math.max(held / mean, 0.1), 10) - 1;
    this.ring(`${level}:${tenant}`).charge(key, step);
    this.ring(level).charge(tenant, step / (this.weights.get(tenant) ?? 1));
  }

  private firstLevel(): string | undefined {
    const levels = [...this.rings].flatMap(([name, ring]) => (name.includes(':') || ring.size === 0 ? [] : [name]));
    return levels.toSorted((a, b) => Number(a) - Number(b))[0];
  }

  private ring(name: string): Ring {
    const ring = this.rings.get(name) ?? new Ring(name.includes(':'));
    this.rings.set(name, ring);
    return ring;
  }
}
