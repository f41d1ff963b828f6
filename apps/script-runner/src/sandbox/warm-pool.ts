import { setTimeout as delay } from 'node:timers/promises';
import { keyOf, type SandboxEnvironment } from './environment.js';
import type { SandboxContainer } from './container.js';

export interface PoolBounds {
  /** How many wait for each of the usual environments even when nobody has asked for long. */
  min: number;
  /** How many wait in all; 0: no pool. */
  max: number;
  /** How long one waits before it is replaced, in ms. */
  maxAgeMs: number;
}

export interface WarmPoolOptions {
  bounds: PoolBounds;
  /** What runs without particular wishes need. */
  usual: SandboxEnvironment[];
  start: (environment: SandboxEnvironment) => Promise<SandboxContainer>;
  end: (container: SandboxContainer) => void;
  /** Whether a run waits for a container to be started for it. */
  isStarting: () => boolean;
  /** Is told why none could be made, at the first of several failures in a row. */
  onError: (error: unknown) => void;
}

/** No container is made until nobody has taken one for so long, for making one takes CPU from the run that began. In ms. */
const CALM_MS = 50;
/** … but at most so long. */
const PATIENCE_MS = 500;
/** How often ages, demand and what could not be made are looked at. */
const TICK_MS = 1_000;

/**
 * Containers that are started and wait, their interpreters up and nothing of anyone's inside: as many for each environment as
 * were lately asked for at once, within bounds; made one at a time, off the path of runs.
 */
export class WarmPool {
  private readonly pools = new Map<string, EnvironmentPool>();
  private readonly timer: NodeJS.Timeout;
  private readonly closing = new AbortController();
  private filling: Promise<void> | undefined;
  private takenAt = 0;

  constructor(private readonly options: WarmPoolOptions) {
    for (const environment of options.usual) this.poolOf(environment, options.bounds.min);
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
    this.fill();
  }

  get waiting(): number {
    return this.all().reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** A container that nobody has used: one that waits, else the one that is being made; undefined where there is neither. */
  async take(environment: SandboxEnvironment): Promise<SandboxContainer | undefined> {
    if (this.options.bounds.max === 0) return undefined;
    this.takenAt = Date.now();
    const container = this.poolOf(environment).take();
    this.fill();
    return container;
  }

  /** Takes all down. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.closing.abort();
    await this.filling;
    for (const pool of this.all()) pool.retire(() => true);
  }

  private all(): EnvironmentPool[] {
    return [...this.pools.values()];
  }

  private poolOf(environment: SandboxEnvironment, min = 0): EnvironmentPool {
    const key = keyOf(environment);
    const pool = this.pools.get(key) ?? new EnvironmentPool(environment, min, this.options.end);
    this.pools.set(key, pool);
    return pool;
  }

  private tick(): void {
    const bornBefore = Date.now() - this.options.bounds.maxAgeMs;
    for (const [key, pool] of this.pools) {
      pool.retire((one) => one.bornAt < bornBefore);
      if (pool.isForgotten) this.pools.delete(key);
    }
    this.fill();
  }

  private fill(): void {
    this.filling ??= this.fillUp().finally(() => (this.filling = undefined));
  }

  private async fillUp(): Promise<void> {
    const { start, onError } = this.options;
    for (let pool = this.neediest(); pool !== undefined; pool = this.neediest()) {
      await this.untilCalm();
      if (this.closing.signal.aborted) return;
      const kept = await pool.await(start(pool.environment), onError);
      if (kept) void this.replaceWhenDead(pool, kept);
    }
  }

  /** Retires what is too much, so that there is room for what is missing. */
  private neediest(): EnvironmentPool | undefined {
    if (this.closing.signal.aborted) return undefined;
    const pools = this.all();
    const targets = shareFairly(
      pools.map(({ want }) => want),
      this.options.bounds.max,
    );
    let needy: { pool: EnvironmentPool; missing: number } | undefined;
    for (const [index, pool] of pools.entries()) {
      const target = targets[index]!;
      pool.retire((_, place) => place >= target);
      const missing = target - pool.waiting.length;
      if (!pool.isResting && missing > (needy?.missing ?? 0)) needy = { pool, missing };
    }
    return needy?.pool;
  }

  private async untilCalm(): Promise<void> {
    const latest = Date.now() + PATIENCE_MS;
    const { signal } = this.closing;
    while (Date.now() < latest && (this.options.isStarting() || Date.now() - this.takenAt < CALM_MS))
      await delay(CALM_MS / 2, undefined, { signal }).catch(() => {});
  }

  private async replaceWhenDead(pool: EnvironmentPool, container: SandboxContainer): Promise<void> {
    await container.channel.closed;
    if (!pool.waiting.includes(container)) return;
    pool.retire((one) => one === container);
    this.fill();
  }
}

const MAX_REST_MS = 10_000;

/** Where the containers of one environment wait. */
export class EnvironmentPool {
  waiting: SandboxContainer[] = [];
  /** The one that is being made, while no run has claimed it. */
  coming: Promise<SandboxContainer | void> | undefined;
  private readonly demand = new PeakDemand();
  /** After failures in a row none is made for it for a while: it may be the only one that cannot be. */
  private failures = 0;
  private restsUntil = 0;

  constructor(
    readonly environment: SandboxEnvironment,
    /** How many wait even when nobody has asked for long. */
    private readonly min: number,
    private readonly end: (container: SandboxContainer) => void,
  ) {}

  /** How many should wait. */
  get want(): number {
    return Math.max(this.min, this.demand.peak(Date.now()));
  }

  get isForgotten(): boolean {
    return this.want === 0 && this.waiting.length === 0;
  }

  get isResting(): boolean {
    return this.restsUntil > Date.now();
  }

  /** One that waits, else the one that is being made, which is the caller's then. */
  async take(): Promise<SandboxContainer | undefined> {
    this.demand.note(Date.now());
    const container = this.waiting.shift();
    if (container) return container;
    const { coming } = this;
    this.coming = undefined;
    return (await coming) ?? undefined;
  }

  /**
   * Awaits one that is being made, and keeps it unless it is claimed meanwhile.
   * @param onError is told of the first of several failures in a row
   * @returns the one that is kept
   */
  async await(
    start: Promise<SandboxContainer>,
    onError: (error: unknown) => void,
  ): Promise<SandboxContainer | undefined> {
    const coming = start.catch((error: unknown) => {
      if (this.failures === 0) onError(error);
    });
    this.coming = coming;
    const container = await coming;
    this.failures = container ? 0 : this.failures + 1;
    this.restsUntil = container ? 0 : Date.now() + Math.min(500 * 2 ** this.failures, MAX_REST_MS);
    const isClaimed = this.coming !== coming;
    if (!isClaimed) this.coming = undefined;
    if (!container || isClaimed) return undefined;
    this.waiting.push(container);
    return container;
  }

  retire(isDue: (container: SandboxContainer, index: number) => boolean): void {
    const due = this.waiting.filter(isDue);
    this.waiting = this.waiting.filter((one) => !due.includes(one));
    due.forEach((one) => this.end(one));
  }
}

/** Containers that are asked for within this time are asked for at once: none can be made in it. In ms. */
const BURST_MS = 2_000;
/** How long a burst is remembered, in ms. */
const MEMORY_MS = 300_000;

/** How many containers of one environment were lately asked for at once: that many should wait. */
export class PeakDemand {
  /** Numbers of requests by burst, oldest first. */
  private bursts: { at: number; count: number }[] = [];

  note(now: number): void {
    const latest = this.bursts.at(-1);
    if (latest && now - latest.at < BURST_MS) latest.count++;
    else this.bursts.push({ at: now, count: 1 });
    this.forget(now);
  }

  peak(now: number): number {
    this.forget(now);
    return this.bursts.reduce((most, { count }) => Math.max(most, count), 0);
  }

  private forget(now: number): void {
    this.bursts = this.bursts.filter(({ at }) => now - at < MEMORY_MS);
  }
}

/**
 * Shares `total` places among those who want some: one each, in order, round by round, until all have what they want or none
 * is left. So nobody's many keep another from having one.
 * @returns how many each gets, in the order of `wants`
 */
export function shareFairly(wants: readonly number[], total: number): number[] {
  const given = wants.map(() => 0);
  let left = total;
  for (let round = 0; left > 0 && wants.some((want) => want > round); round++) {
    for (const [index, want] of wants.entries()) {
      if (want <= round || left === 0) continue;
      given[index]!++;
      left--;
    }
  }
  return given;
}
