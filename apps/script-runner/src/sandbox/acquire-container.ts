import { setTimeout as delay } from 'node:timers/promises';
import { isObject, ToolError } from '@errand/contracts';
import type Docker from 'dockerode';
import type { ContainerRegistry } from './container-registry.js';
import type { SandboxContainer } from './container.js';
import { within } from './docker-errors.js';
import { keyOf, type SandboxEnvironment } from './environment.js';
import { BOUNDS } from './limits.js';
import { cancelled } from './outcome.js';
import type { SandboxSpec } from './sandbox-run.js';
import { WarmPool, type PoolBounds } from './warm-pool.js';

const NO_POOL: PoolBounds = { min: 0, max: 0, maxAgeMs: 0 };
/** Maximum of waiting reusable containers if the pool has a lower maximum. */
const MIN_REUSABLE = 4;

interface AllocatorOptions {
  /** Default: no container waits. */
  bounds?: PoolBounds;
  /** The environments of runs without special limits, images or mounts. */
  usual: SandboxEnvironment[];
  /** The longest time limit of a run, in ms. */
  longestMs: number;
  /** How long a run that has not begun waits for an unreachable Docker engine, in ms. */
  engineAwayMs: number;
  onError: (error: unknown) => void;
}

/** The run that needs a container. */
interface ContainerRequest {
  spec: SandboxSpec;
  environment: SandboxEnvironment;
  signal: AbortSignal;
}

/**
 * Acquires a container for a run: first a reusable container of its tool, then one of the warm pool, else a new one.
 */
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
    this.reusable = new ReusableContainers(Math.max(bounds.max, MIN_REUSABLE), end);
  }

  /** The number of containers that wait for any run. */
  get waiting(): number {
    return this.pool.waiting;
  }

  /** @throws ToolError CancelledError; ServiceError if no container could be started */
  async acquire(request: ContainerRequest): Promise<SandboxContainer> {
    const key = reuseKey(request);
    const own = key === undefined ? undefined : await this.reusable.take(key);
    const container = own ?? (await this.pool.take(request.environment)) ?? (await this.start(request));
    if (!request.signal.aborted) return container;
    await this.containers.destroy(container);
    throw cancelled();
  }

  /**
   * Takes a container back after its run.
   * @param again settles when the container has been cleaned; undefined: the container must not serve again
   */
  giveBack(request: ContainerRequest, container: SandboxContainer, again: Promise<void> | undefined): void {
    const key = reuseKey(request);
    if (key !== undefined && again) this.reusable.give(key, container, again);
    else this.containers.releaseAfterRun(container);
  }

  /** Ends all waiting containers. */
  async close(): Promise<void> {
    await this.pool.close();
    this.reusable.close();
  }

  /** Nothing of the run has happened yet, so it can wait for an unreachable Docker engine. */
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

/** Runs with the same key may share a container: runs of one tool for one tenant, with the same limits. */
function reuseKey({ spec, environment }: ContainerRequest): string | undefined {
  return environment.reusable ? `${spec.reuse} ${keyOf(environment)}` : undefined;
}

interface IdleContainer {
  key: string;
  container: SandboxContainer;
  /** Resolves when the supervisor has proven it clean, with a token that no script can know. */
  again: Promise<void>;
  timer: NodeJS.Timeout;
}

/**
 * Containers that have served a tool with `reuse: "per-tool"` and may serve it again. The key names the definition of
 * the tool, its tenant and the environment. No run with another key gets the container.
 */
class ReusableContainers {
  /** In the order in which they came back. */
  private idle: IdleContainer[] = [];

  constructor(
    /** Maximum of idle containers. Above it, the one that is idle for the longest time ends. */
    private readonly max: number,
    private readonly end: (container: SandboxContainer) => void,
  ) {}

  /** Takes the most recently used container that is proven to be clean. */
  async take(key: string): Promise<SandboxContainer | undefined> {
    for (let entry = this.last(key); entry !== undefined; entry = this.last(key)) {
      const { container, again } = entry;
      this.remove(entry);
      const isClean = await within(BOUNDS.releaseMs, again).then(
        () => container.channel.isOpen,
        () => false,
      );
      if (isClean) return container;
      this.end(container);
    }
    return undefined;
  }

  /** @param again settles when the container has been cleaned */
  give(key: string, container: SandboxContainer, again: Promise<void>): void {
    if (container.runs >= BOUNDS.reuseRuns || Date.now() - container.createdAt > BOUNDS.reuseMs)
      return this.end(container);
    const [oldest] = this.idle;
    if (oldest && this.idle.length >= this.max) this.drop(oldest);
    const entry = { key, container, again, timer: setTimeout(() => this.drop(entry), BOUNDS.reuseIdleMs).unref() };
    this.idle.push(entry);
    void container.channel.closed.then(() => this.drop(entry));
  }

  close(): void {
    for (const entry of this.idle) this.drop(entry);
  }

  private last(key: string): IdleContainer | undefined {
    return this.idle.findLast((entry) => entry.key === key);
  }

  private drop(entry: IdleContainer): void {
    if (!this.idle.includes(entry)) return;
    this.remove(entry);
    this.end(entry.container);
  }

  private remove(entry: IdleContainer): void {
    clearTimeout(entry.timer);
    this.idle = this.idle.filter((one) => one !== entry);
  }
}

const UNREACHABLE = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);
const PING_MS = 500;

/** Whether the failure means that the Docker engine is unreachable, and not that it refused the request. */
function isEngineAway(cause: unknown): boolean {
  return isObject(cause) && typeof cause.code === 'string' && UNREACHABLE.has(cause.code);
}

/** Resolves when the Docker engine responds, when the time is over, or when `signal` fires. */
async function engineReturns(docker: Docker, until: number, signal: AbortSignal): Promise<void> {
  while (Date.now() < until && !signal.aborted) {
    const responds = await within(PING_MS, docker.ping()).then(
      () => true,
      () => false,
    );
    if (responds) return;
    await delay(PING_MS, undefined, { signal }).catch(() => {});
  }
}
