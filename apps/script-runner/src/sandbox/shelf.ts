import { Demand } from './demand.js';
import type { Environment } from './environment.js';
import type { SandboxContainer } from './sandbox-container.js';

const MAX_REST_MS = 10_000;

/** Where the containers of one environment wait. */
export class Shelf {
  waiting: SandboxContainer[] = [];
  /** The one that is being made, while no run has claimed it. */
  coming: Promise<SandboxContainer | void> | undefined;
  private readonly demand = new Demand();
  /** After failures in a row none is made for it for a while: it may be the only one that cannot be. */
  private failures = 0;
  private restsUntil = 0;

  constructor(
    readonly environment: Environment,
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
