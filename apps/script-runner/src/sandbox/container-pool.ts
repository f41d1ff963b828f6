import { setTimeout as delay } from 'node:timers/promises';
import { allot } from './allot.js';
import { keyOf, type Environment } from './environment.js';
import type { SandboxContainer } from './sandbox-container.js';
import { Shelf } from './shelf.js';

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
export class ContainerPool {
  private readonly shelves = new Map<string, Shelf>();
  private readonly timer: NodeJS.Timeout;
  private readonly closing = new AbortController();
  private filling: Promise<void> | undefined;
  private takenAt = 0;

  constructor(private readonly options: PoolOptions) {
    for (const environment of options.usual) this.shelfOf(environment, options.bounds.min);
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
    this.fill();
  }

  get waiting(): number {
    return this.all().reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** A container that nobody has used: one that waits, else the one that is being made; undefined where there is neither. */
  async take(environment: Environment): Promise<SandboxContainer | undefined> {
    if (this.options.bounds.max === 0) return undefined;
    this.takenAt = Date.now();
    const container = this.shelfOf(environment).take();
    this.fill();
    return container;
  }

  /** Takes all down. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.closing.abort();
    await this.filling;
    for (const shelf of this.all()) shelf.retire(() => true);
  }

  private all(): Shelf[] {
    return [...this.shelves.values()];
  }

  private shelfOf(environment: Environment, min = 0): Shelf {
    const key = keyOf(environment);
    const shelf = this.shelves.get(key) ?? new Shelf(environment, min, this.options.end);
    this.shelves.set(key, shelf);
    return shelf;
  }

  private tick(): void {
    const bornBefore = Date.now() - this.options.bounds.maxAgeMs;
    for (const [key, shelf] of this.shelves) {
      shelf.retire((one) => one.bornAt < bornBefore);
      if (shelf.isForgotten) this.shelves.delete(key);
    }
    this.fill();
  }

  private fill(): void {
    this.filling ??= this.fillUp().finally(() => (this.filling = undefined));
  }

  private async fillUp(): Promise<void> {
    const { start, onError } = this.options;
    for (let shelf = this.neediest(); shelf !== undefined; shelf = this.neediest()) {
      await this.untilCalm();
      if (this.closing.signal.aborted) return;
      const kept = await shelf.await(start(shelf.environment), onError);
      if (kept) void this.replaceWhenDead(shelf, kept);
    }
  }

  /** Retires what is too much, so that there is room for what is missing. */
  private neediest(): Shelf | undefined {
    if (this.closing.signal.aborted) return undefined;
    const shelves = this.all();
    const targets = allot(
      shelves.map(({ want }) => want),
      this.options.bounds.max,
    );
    let needy: { shelf: Shelf; missing: number } | undefined;
    for (const [index, shelf] of shelves.entries()) {
      const target = targets[index]!;
      shelf.retire((_, place) => place >= target);
      const missing = target - shelf.waiting.length;
      if (!shelf.isResting && missing > (needy?.missing ?? 0)) needy = { shelf, missing };
    }
    return needy?.shelf;
  }

  private async untilCalm(): Promise<void> {
    const latest = Date.now() + PATIENCE_MS;
    const { signal } = this.closing;
    while (Date.now() < latest && (this.options.isStarting() || Date.now() - this.takenAt < CALM_MS))
      await delay(CALM_MS / 2, undefined, { signal }).catch(() => {});
  }

  private async replaceWhenDead(shelf: Shelf, container: SandboxContainer): Promise<void> {
    await container.dialogue.closed;
    if (!shelf.waiting.includes(container)) return;
    shelf.retire((one) => one === container);
    this.fill();
  }
}
