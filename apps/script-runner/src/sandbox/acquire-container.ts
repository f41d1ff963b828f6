import { ToolError, isObject } from '@errand/contracts';
import type Docker from 'dockerode';
import { WarmPool, type PoolBounds } from './warm-pool.js';
import { keyOf, type SandboxEnvironment } from './environment.js';
import type { ContainerRegistry } from './container-registry.js';
import { cancelled } from './outcome.js';
import { BOUNDS } from './limits.js';
import type { SandboxContainer } from './container.js';
import type { SandboxSpec } from './sandbox-run.js';
import { within } from './docker-errors.js';
import { setTimeout as delay } from 'node:timers/promises';

const NO_POOL: PoolBounds = { min: 0, max: 0, maxAgeMs: 0 };
/** How many wait for the tools that have them again, where no pool says how many may wait. */
const FEWEST_REUSABLE = 4;

export interface AllocatorOptions {
  /** By default no container waits. */
  bounds?: PoolBounds;
  /** What runs without particular wishes need. */
  usual: SandboxEnvironment[];
  /** The longest time that a run may take, in ms. */
  longestMs: number;
  /** How long a run that has not begun waits for an engine that is away, in ms. */
  engineAwayMs: number;
  onError: (error: unknown) => void;
}

/** What a run needs a container for. */
export interface ContainerRequest {
  spec: SandboxSpec;
  environment: SandboxEnvironment;
  signal: AbortSignal;
}

/** Where runs have their containers from: one of the tool's own, else one that waits, else a new one. */
export class ContainerAllocator {
  private readonly pool: WarmPool;
  private readonly reusable: ReusableContainers;
  private starting = 0;

  constructor(
    private readonly docker: Docker,
    private readonly containers: ContainerRegistry,
    private readonly options: AllocatorOptions,
  ) {
    const { bounds = NO_POOL, usual, longestMs, onError } = options;
    const end = (container: SandboxContainer) => containers.release(container);
    const lifeMs = bounds.maxAgeMs + longestMs + BOUNDS.bootMs + BOUNDS.reuseMs;
    this.pool = new WarmPool({
      bounds,
      usual,
      start: (environment) => containers.start(environment, { role: 'pool' }, lifeMs),
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
  async take(need: ContainerRequest): Promise<SandboxContainer> {
    const key = reuseKey(need);
    const own = key === undefined ? undefined : await this.reusable.take(key);
    const container = own ?? (await this.pool.take(need.environment)) ?? (await this.start(need));
    if (!need.signal.aborted) return container;
    await this.containers.destroy(container);
    throw cancelled();
  }

  /** After a run. @param again settles when the container has been cleaned; undefined: it is not to serve again */
  giveBack(need: ContainerRequest, container: SandboxContainer, again: Promise<void> | undefined): void {
    const key = reuseKey(need);
    if (key !== undefined && again) this.reusable.give(key, container, again);
    else this.containers.release(container);
  }

  /** Takes down all that waits. */
  async close(): Promise<void> {
    await this.pool.close();
    this.reusable.close();
  }

  /** Nothing of the run has happened yet, so an engine that is away can be waited for. */
  private async start({ spec, environment, signal }: ContainerRequest): Promise<SandboxContainer> {
    const { invocationId, step, toolId } = spec;
    const purpose = { role: 'run', invocationId, step, toolId } as const;
    const lifeMs = BOUNDS.bootMs + BOUNDS.reuseMs + this.options.longestMs;
    const giveUpAt = Date.now() + this.options.engineAwayMs;
    this.starting++;
    try {
      for (;;) {
        try {
          return await this.containers.start(environment, purpose, lifeMs);
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
function reuseKey({ spec, environment }: ContainerRequest): string | undefined {
  return environment.reusable ? `${spec.reuse} ${keyOf(environment)}` : undefined;
}

interface Idle {
  key: string;
  container: SandboxContainer;
  /** Resolves when its supervisor has proven it clean, with a word that no script can know. */
  again: Promise<void>;
  timer: NodeJS.Timeout;
}

/**
 * Containers that have served a tool and may serve it again, for tools with `reuse: "per-tool"`. The key says whose they are:
 * the tool's definition, its tenant and the environment; nobody else ever gets one.
 */
export class ReusableContainers {
  /** The one that came back last is the last. */
  private idle: Idle[] = [];

  constructor(
    /** How many wait in all; beyond, the one that has waited longest ends. */
    private readonly max: number,
    private readonly end: (container: SandboxContainer) => void,
  ) {}

  /** The one that was used last and proves to be clean. */
  async take(key: string): Promise<SandboxContainer | undefined> {
    for (let entry = this.last(key); entry !== undefined; entry = this.last(key)) {
      this.remove(entry);
      const isClean = await within(BOUNDS.releaseMs, entry.again).then(
        () => entry.container.channel.isOpen,
        () => false,
      );
      if (isClean) return entry.container;
      this.end(entry.container);
    }
    return undefined;
  }

  /** @param again settles when the container has been cleaned */
  give(key: string, container: SandboxContainer, again: Promise<void>): void {
    if (container.runs >= BOUNDS.reuseRuns || Date.now() - container.bornAt > BOUNDS.reuseMs)
      return this.end(container);
    if (this.idle.length >= this.max) this.drop(this.idle[0]!);
    const entry = { key, container, again, timer: setTimeout(() => this.drop(entry), BOUNDS.reuseIdleMs).unref() };
    this.idle.push(entry);
    void container.channel.closed.then(() => this.drop(entry));
  }

  close(): void {
    for (const entry of this.idle) this.drop(entry);
  }

  private last(key: string): Idle | undefined {
    return this.idle.findLast((entry) => entry.key === key);
  }

  private drop(entry: Idle): void {
    if (!this.idle.includes(entry)) return;
    this.remove(entry);
    this.end(entry.container);
  }

  private remove(entry: Idle): void {
    clearTimeout(entry.timer);
    this.idle = this.idle.filter((one) => one !== entry);
  }
}

const AWAY = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);
const ASK_EVERY_MS = 500;

/** Whether this failure says that no engine is there, rather than that it refused. */
export function isEngineAway(cause: unknown): boolean {
  return isObject(cause) && typeof cause.code === 'string' && AWAY.has(cause.code);
}

/** Resolves when the engine answers, when the time is over, or when `signal` fires. */
export async function engineReturns(docker: Docker, until: number, signal: AbortSignal): Promise<void> {
  while (Date.now() < until && !signal.aborted) {
    const answers = await within(ASK_EVERY_MS, docker.ping()).then(
      () => true,
      () => false,
    );
    if (answers) return;
    await delay(ASK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
