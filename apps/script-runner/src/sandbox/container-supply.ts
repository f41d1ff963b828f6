import { ToolError } from '@errand/contracts';
import type Docker from 'dockerode';
import { ContainerPool, type PoolBounds } from './container-pool.js';
import { engineReturns, isEngineAway } from './engine-away.js';
import { keyOf, type Environment } from './environment.js';
import type { Fleet } from './fleet.js';
import { cancelled } from './judge.js';
import { BOUNDS } from './limits.js';
import { ReusableContainers } from './reusable.js';
import type { SandboxContainer } from './sandbox-container.js';
import type { SandboxSpec } from './sandbox-spec.js';

const NO_POOL: PoolBounds = { min: 0, max: 0, maxAgeMs: 0 };
/** How many wait for the tools that have them again, where no pool says how many may wait. */
const FEWEST_REUSABLE = 4;

export interface SupplyOptions {
  /** By default no container waits. */
  bounds?: PoolBounds;
  /** What runs without particular wishes need. */
  usual: Environment[];
  /** The longest time that a run may take, in ms. */
  longestMs: number;
  /** How long a run that has not begun waits for an engine that is away, in ms. */
  engineAwayMs: number;
  onError: (error: unknown) => void;
}

/** What a run needs a container for. */
export interface Need {
  spec: SandboxSpec;
  environment: Environment;
  signal: AbortSignal;
}

/** Where runs have their containers from: one of the tool's own, else one that waits, else a new one. */
export class ContainerSupply {
  private readonly pool: ContainerPool;
  private readonly reusable: ReusableContainers;
  private starting = 0;

  constructor(
    private readonly docker: Docker,
    private readonly fleet: Fleet,
    private readonly options: SupplyOptions,
  ) {
    const { bounds = NO_POOL, usual, longestMs, onError } = options;
    const end = (container: SandboxContainer) => fleet.release(container);
    const lifeMs = bounds.maxAgeMs + longestMs + BOUNDS.bootMs + BOUNDS.reuseMs;
    this.pool = new ContainerPool({
      bounds,
      usual,
      start: (environment) => fleet.start(environment, { role: 'pool' }, lifeMs),
      end,
      isStarting: () => this.starting > 0,
      onError,
    });
    this.reusable = new ReusableContainers(Math.max(bounds.max, FEWEST_REUSABLE), end);
  }

  /** How many containers wait for a run of anyone's. */
  get waiting(): number {
    return this.pool.waiting;
  }

  /** @throws ToolError CancelledError; ServiceError where none could be had */
  async take(need: Need): Promise<SandboxContainer> {
    const key = reuseKey(need);
    const own = key === undefined ? undefined : await this.reusable.take(key);
    const container = own ?? (await this.pool.take(need.environment)) ?? (await this.start(need));
    if (!need.signal.aborted) return container;
    await this.fleet.destroy(container);
    throw cancelled();
  }

  /** After a run. @param again settles when the container has been cleaned; undefined: it is not to serve again */
  giveBack(need: Need, container: SandboxContainer, again: Promise<void> | undefined): void {
    const key = reuseKey(need);
    if (key !== undefined && again) this.reusable.give(key, container, again);
    else this.fleet.release(container);
  }

  /** Takes down all that waits. */
  async close(): Promise<void> {
    await this.pool.close();
    this.reusable.close();
  }

  /** Nothing of the run has happened yet, so an engine that is away can be waited for. */
  private async start({ spec, environment, signal }: Need): Promise<SandboxContainer> {
    const { invocationId, step, toolId } = spec;
    const purpose = { role: 'run', invocationId, step, toolId } as const;
    const lifeMs = BOUNDS.bootMs + BOUNDS.reuseMs + this.options.longestMs;
    const giveUpAt = Date.now() + this.options.engineAwayMs;
    this.starting++;
    try {
      for (;;) {
        try {
          return await this.fleet.start(environment, purpose, lifeMs);
        } catch (error) {
          if (!(error instanceof ToolError) || !isEngineAway(error.cause) || Date.now() >= giveUpAt) throw error;
          await engineReturns(this.docker, giveUpAt, signal);
          if (signal.aborted) throw cancelled();
        }
      }
    } finally {
      this.starting--;
    }
  }
}

/** Whose runs may have the same container: those of one tool for one tenant, with the same limits. */
function reuseKey({ spec, environment }: Need): string | undefined {
  return environment.reusable ? `${spec.reuse} ${keyOf(environment)}` : undefined;
}
