import { setTimeout as delay } from 'node:timers/promises';
import { allot } from './allot.js';
import { Demand } from './demand.js';
import { keyOf, type Environment } from './environment.js';
import type { SandboxContainer } from './sandbox-container.js';

export interface PoolBounds {
  /** How many wait for each of the usual environments even when nobody has asked for long. */
  min: number;
  /** How many wait in all; 0: no pool. */
  max: number;
  /** How long one waits before it is replaced, in ms. */
  maxAgeMs: number;
}

export interface PoolOptions {
  bounds: PoolBounds;
  /** What runs without particular wishes need. */
  usual: Environment[];
  start: (environment: Environment) => Promise<SandboxContainer>;
  end: (container: SandboxContainer) => void;
  /** Whether a run waits for a container to be started for it. */
  isStarting: () => boolean;
  /** Is told why none could be made. */
  onError: (error: unknown) => void;
}

/** No container is made until nobody has taken one for so long, for making one takes CPU from the run that began. In ms. */
const CALM_MS = 50;
/** … but at most so long. */
const PATIENCE_MS = 500;
/** How often ages, demand and what could not be made are looked at. */
const TICK_MS = 1_000;
const MAX_REST_MS = 10_000;

interface Shelf {
  environment: Environment;
  usual: boolean;
  waiting: SandboxContainer[];
  /** The one that is being made, while no run has claimed it. */
  coming: Promise<SandboxContainer | void> | undefined;
  demand: Demand;
  /** After failures in a row none is made for it for a while: it may be the only one that cannot be. */
  failures: number;
  restsUntil: number;
}

/**
 * Containers that are started and wait, their interpreters up and nothing of anyone's inside: as many for each environment as
 * were lately asked for at once, within bounds; made one at a time, off the path of runs.
 */
export class ContainerPool {
  private readonly shelves = new Map<string, Shelf>();
  private readonly timer: NodeJS.Timeout;
  private readonly closing = new AbortController();
  private filling: Promise<void> | undefined;
  private takenAt = 0;

  constructor(private readonly options: PoolOptions) {
    for (const environment of options.usual) this.shelfOf(environment).usual = true;
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
    this.fill();
  }

  get waiting(): number {
    return this.all().reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** A container that nobody has used: one that waits, else the one that is being made; undefined where there is neither. */
  async take(environment: Environment): Promise<SandboxContainer | undefined> {
    if (this.options.bounds.max === 0) return undefined;
    const shelf = this.shelfOf(environment);
    this.takenAt = Date.now();
    shelf.demand.note(this.takenAt);
    const { coming } = shelf;
    const container = shelf.waiting.shift();
    if (!container) shelf.coming = undefined;
    this.fill();
    return container ?? (await coming) ?? undefined;
  }

  /** Takes all down. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.closing.abort();
    await this.filling;
    for (const { waiting } of this.shelves.values()) waiting.splice(0).forEach((one) => this.options.end(one));
  }

  private all(): Shelf[] {
    return [...this.shelves.values()];
  }

  private shelfOf(environment: Environment): Shelf {
    const key = keyOf(environment);
    let shelf = this.shelves.get(key);
    if (!shelf) {
      shelf = {
        environment,
        usual: false,
        waiting: [],
        coming: undefined,
        demand: new Demand(),
        failures: 0,
        restsUntil: 0,
      };
      this.shelves.set(key, shelf);
    }
    return shelf;
  }

  private tick(): void {
    const bornBefore = Date.now() - this.options.bounds.maxAgeMs;
    for (const shelf of this.all()) {
      this.retire(shelf, (one) => one.bornAt < bornBefore);
      if (!shelf.usual && shelf.demand.peak(Date.now()) === 0 && shelf.waiting.length === 0)
        this.shelves.delete(keyOf(shelf.environment));
    }
    this.fill();
  }

  private retire(shelf: Shelf, isDue: (container: SandboxContainer, index: number) => boolean): void {
    const due = shelf.waiting.filter(isDue);
    shelf.waiting = shelf.waiting.filter((one) => !due.includes(one));
    due.forEach((one) => this.options.end(one));
  }

  /** How many should wait on each shelf. */
  private targets(): Map<Shelf, number> {
    const { min, max } = this.options.bounds;
    const shelves = this.all();
    const wants = shelves.map(({ usual, demand }) => Math.max(usual ? min : 0, demand.peak(Date.now())));
    const given = allot(wants, max);
    return new Map(shelves.map((shelf, index) => [shelf, given[index]!]));
  }

  private fill(): void {
    this.filling ??= this.fillUp().finally(() => (this.filling = undefined));
  }

  private async fillUp(): Promise<void> {
    for (let shelf = this.neediest(); shelf !== undefined; shelf = this.neediest()) {
      await this.untilCalm();
      if (this.closing.signal.aborted) return;
      const made = await this.makeOne(shelf);
      shelf.failures = made ? 0 : shelf.failures + 1;
      shelf.restsUntil = made ? 0 : Date.now() + Math.min(500 * 2 ** shelf.failures, MAX_REST_MS);
    }
  }

  /** Retires what is too much, so that there is room for what is missing. */
  private neediest(): Shelf | undefined {
    if (this.closing.signal.aborted) return undefined;
    let needy: { shelf: Shelf; missing: number } | undefined;
    for (const [shelf, target] of this.targets()) {
      this.retire(shelf, (_, index) => index >= target);
      const missing = target - shelf.waiting.length;
      if (shelf.restsUntil < Date.now() && missing > (needy?.missing ?? 0)) needy = { shelf, missing };
    }
    return needy?.shelf;
  }

  private async untilCalm(): Promise<void> {
    const latest = Date.now() + PATIENCE_MS;
    while (Date.now() < latest && (this.options.isStarting() || Date.now() - this.takenAt < CALM_MS))
      await this.pause(CALM_MS / 2);
  }

  private async makeOne(shelf: Shelf): Promise<boolean> {
    const { start, onError } = this.options;
    const coming = start(shelf.environment).catch(onError);
    shelf.coming = coming;
    const container = await coming;
    const claimed = shelf.coming !== coming;
    if (!claimed) shelf.coming = undefined;
    if (container && !claimed) this.keep(shelf, container);
    return Boolean(container);
  }

  private keep(shelf: Shelf, container: SandboxContainer): void {
    shelf.waiting.push(container);
    void this.replaceWhenDead(shelf, container);
  }

  private async replaceWhenDead(shelf: Shelf, container: SandboxContainer): Promise<void> {
    await container.dialogue.closed;
    if (!shelf.waiting.includes(container)) return;
    this.retire(shelf, (one) => one === container);
    this.fill();
  }

  private pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.closing.signal }).catch(() => {});
  }
}
