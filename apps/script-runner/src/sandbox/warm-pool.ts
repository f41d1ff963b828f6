/**
 * Started containers that wait for runs. A container in the pool has one of these states:
 *
 * - starting: Docker creates it, and its supervisor boots. One container starts at a time. A run may already take it;
 *   it then waits for the start and owns the container.
 * - waiting: its supervisor is ready and has seen no request. It leaves this state when a run takes it, when it is too
 *   old or too many wait, or when it ends by itself.
 * - gone from the pool: the run that took it owns it, or `end` removes it.
 *
 * The pool of an environment is paused for a growing time after failures in a row. It is deleted when no container
 * waits and none was requested for 300,000 ms.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { keyOf, type SandboxEnvironment } from './environment.js';
import type { SandboxContainer } from './container.js';

export interface PoolBounds {
  /** Containers that wait for each usual environment, even without recent requests. */
  min: number;
  /** Maximum of waiting containers in all; 0: no pool. */
  max: number;
  /** Maximum age of a waiting container, in ms. Then another one replaces it. */
  maxAgeMs: number;
}

interface WarmPoolOptions {
  bounds: PoolBounds;
  /** The environments of runs without special limits, images or mounts. */
  usual: SandboxEnvironment[];
  start: (environment: SandboxEnvironment) => Promise<SandboxContainer>;
  end: (container: SandboxContainer) => void;
  /** Whether a container is starting for a run that waits. */
  isStarting: () => boolean;
  /** Receives the first of several failures in a row to start a container. */
  onError: (error: unknown) => void;
}

/** The pool starts no container until no run took one for this time, in ms. A start takes CPU from a run that began. */
const CALM_MS = 50;
/** Maximum wait for such a calm time, in ms. */
const MAX_CALM_WAIT_MS = 500;
/** Interval of the checks of age, demand and failed starts, in ms. */
const TICK_MS = 1_000;

/**
 * Keeps waiting containers for each environment, as many as were recently requested at once, within the bounds. It
 * starts them one at a time, while no run waits for a start.
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

  /** Takes an unused container, waiting or starting. Returns undefined if the pool has neither. */
  async take(environment: SandboxEnvironment): Promise<SandboxContainer | undefined> {
    if (this.options.bounds.max === 0) return undefined;
    this.takenAt = Date.now();
    const container = this.poolOf(environment).take();
    this.fill();
    return container;
  }

  /** Ends all waiting containers. */
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
    const oldest = Date.now() - this.options.bounds.maxAgeMs;
    for (const [key, pool] of this.pools) {
      pool.retire((container) => container.createdAt < oldest);
      if (pool.isUnused) this.pools.delete(key);
    }
    this.fill();
  }

  private fill(): void {
    this.filling ??= this.fillAll().finally(() => (this.filling = undefined));
  }

  private async fillAll(): Promise<void> {
    const { start, onError } = this.options;
    for (let pool = this.nextToFill(); pool !== undefined; pool = this.nextToFill()) {
      await this.untilCalm();
      if (this.closing.signal.aborted) return;
      const kept = await pool.add(start(pool.environment), onError);
      if (kept) void this.replaceWhenEnded(pool, kept);
    }
  }

  /** Retires surplus containers, then returns the pool that lacks the most containers. */
  private nextToFill(): EnvironmentPool | undefined {
    if (this.closing.signal.aborted) return undefined;
    const pools = this.all();
    const targets = shareFairly(
      pools.map(({ wanted }) => wanted),
      this.options.bounds.max,
    );
    let next: { pool: EnvironmentPool; missing: number } | undefined;
    for (const [index, pool] of pools.entries()) {
      const target = targets[index] ?? 0;
      pool.retire((_, position) => position >= target);
      const missing = target - pool.waiting.length;
      if (!pool.isPaused && missing > (next?.missing ?? 0)) next = { pool, missing };
    }
    return next?.pool;
  }

  private async untilCalm(): Promise<void> {
    const latest = Date.now() + MAX_CALM_WAIT_MS;
    const { signal } = this.closing;
    while (Date.now() < latest && (this.options.isStarting() || Date.now() - this.takenAt < CALM_MS))
      await delay(CALM_MS / 2, undefined, { signal }).catch(() => {});
  }

  private async replaceWhenEnded(pool: EnvironmentPool, container: SandboxContainer): Promise<void> {
    await container.channel.closed;
    if (!pool.waiting.includes(container)) return;
    pool.retire((one) => one === container);
    this.fill();
  }
}

const MAX_PAUSE_MS = 10_000;

/** The waiting containers of one environment. */
class EnvironmentPool {
  waiting: SandboxContainer[] = [];
  /** The container that is starting, while no run has taken it. */
  private starting: Promise<SandboxContainer | void> | undefined;
  private readonly demand = new PeakDemand();
  private failures = 0;
  /** Perhaps only this environment cannot start, so other pools are filled during the pause. */
  private pausedUntil = 0;

  constructor(
    readonly environment: SandboxEnvironment,
    /** Containers that wait even without recent requests. */
    private readonly min: number,
    private readonly end: (container: SandboxContainer) => void,
  ) {}

  /** How many containers should wait. */
  get wanted(): number {
    return Math.max(this.min, this.demand.peak(Date.now()));
  }

  get isUnused(): boolean {
    return this.wanted === 0 && this.waiting.length === 0;
  }

  get isPaused(): boolean {
    return this.pausedUntil > Date.now();
  }

  /** Takes a waiting container, or else the one that is starting. */
  async take(): Promise<SandboxContainer | undefined> {
    this.demand.record(Date.now());
    const container = this.waiting.shift();
    if (container) return container;
    const { starting } = this;
    this.starting = undefined;
    return (await starting) ?? undefined;
  }

  /**
   * Waits for a start and keeps the container, unless a run takes it before.
   * @param onError receives the first of several failures in a row
   * @returns the container if the pool keeps it
   */
  async add(
    start: Promise<SandboxContainer>,
    onError: (error: unknown) => void,
  ): Promise<SandboxContainer | undefined> {
    const starting = start.catch((error: unknown) => {
      if (this.failures === 0) onError(error);
    });
    this.starting = starting;
    const container = await starting;
    this.failures = container ? 0 : this.failures + 1;
    this.pausedUntil = container ? 0 : Date.now() + Math.min(500 * 2 ** this.failures, MAX_PAUSE_MS);
    const isTaken = this.starting !== starting;
    if (!isTaken) this.starting = undefined;
    if (!container || isTaken) return undefined;
    this.waiting.push(container);
    return container;
  }

  retire(isDue: (container: SandboxContainer, index: number) => boolean): void {
    const due = this.waiting.filter(isDue);
    this.waiting = this.waiting.filter((one) => !due.includes(one));
    due.forEach((one) => this.end(one));
  }
}

/** Requests within this time count as one burst, in ms. No container can start in this time. */
const BURST_MS = 2_000;
/** Older bursts do not count, in ms. */
const MAX_BURST_AGE_MS = 300_000;

/** Measures how many containers of one environment were recently requested at once. */
export class PeakDemand {
  /** The number of requests in each burst, oldest first. */
  private bursts: { at: number; count: number }[] = [];

  record(now: number): void {
    const latest = this.bursts.at(-1);
    if (latest && now - latest.at < BURST_MS) latest.count++;
    else this.bursts.push({ at: now, count: 1 });
    this.removeOld(now);
  }

  peak(now: number): number {
    this.removeOld(now);
    return this.bursts.reduce((most, { count }) => Math.max(most, count), 0);
  }

  private removeOld(now: number): void {
    this.bursts = this.bursts.filter(({ at }) => now - at < MAX_BURST_AGE_MS);
  }
}

/**
 * Shares `total` containers among environments: one for each in a round, in order, until each has what it wants or none
 * is left. A busy environment cannot starve the others.
 * @returns how many each gets, in the order of `wants`
 */
export function shareFairly(wants: readonly number[], total: number): number[] {
  const shares = wants.map(() => 0);
  let left = total;
  for (let round = 0; left > 0 && wants.some((want) => want > round); round++) {
    for (const [index, want] of wants.entries()) {
      if (want <= round || left === 0) continue;
      shares[index] = round + 1;
      left--;
    }
  }
  return shares;
}
