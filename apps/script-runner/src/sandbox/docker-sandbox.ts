import { findInexact, type Json, type Language } from '@errand/contracts';
import Docker, { type DockerOptions } from 'dockerode';
import { hintOf } from '../hinted-error.js';
import type { PoolBounds } from './warm-pool.js';
import { ContainerAllocator } from './acquire-container.js';
import { encodeRequest } from './protocol/request.js';
import { asServiceError } from './docker-errors.js';
import { environmentOf } from './environment.js';
import { ContainerRegistry } from './container-registry.js';
import { cancelled, hitLimit, toResult } from './outcome.js';
import { BOUNDS, BUILD_LIMITS, resolveLimits, type RunLimits } from './limits.js';
import { requireRuntime } from './docker-errors.js';
import type { KeptImage } from './container.js';
import type { RunHooks, SandboxSpec } from './sandbox-run.js';
import { serveRun } from './protocol/exchange.js';
import { sweepOrphans } from './container-registry.js';

export interface DockerSandboxOptions {
  /** Where the engine is; by default `DOCKER_HOST`, else the local socket. */
  docker?: DockerOptions;
  images: Readonly<Record<Language, string>>;
  /** Unique to this process: it labels the containers, so that a sweep knows whose they are. */
  runnerId: string;
  /** The same for all runners of whose life `isAlive` can tell; by default this runner is alone. */
  installation?: string;
  /** The operator's: no tool and no caller gets more. */
  maxima: RunLimits;
  /** The engine's runtime; `runsc` is gVisor. By default the engine's own default. */
  runtime?: 'runc' | 'crun' | 'runsc';
  /** By default no container waits. */
  pool?: PoolBounds;
  /** How long a run that has not begun waits for an engine that is away, in ms. By default it fails at once. */
  engineAwayMs?: number;
  /** Whether another runner lives, for `sweep`. */
  isAlive?: (runnerId: string) => Promise<boolean>;
  /** Is told what goes wrong behind the scenes. */
  onError?: (error: unknown) => void;
}

/** Numbers like those of clocks that count nanoseconds are no reason to lose a whole result. */
const ROUNDED =
  '[errand] a number of the result has more digits than JSON numbers are sure to keep, and was rounded: print it as text';

/** Runs scripts in containers of the local Docker engine: one container, one run, but for tools that share theirs with themselves. */
export class DockerSandbox {
  private readonly docker: Docker;
  private readonly containers: ContainerRegistry;
  private readonly allocator: ContainerAllocator;
  private readonly runs = new Set<Promise<unknown>>();

  constructor(private readonly options: DockerSandboxOptions) {
    const { pool: bounds, maxima, runnerId, installation = runnerId } = options;
    this.docker = new Docker(options.docker);
    this.containers = new ContainerRegistry(this.docker, { runnerId, installation });
    const plain = resolveLimits({}, undefined, maxima);
    this.allocator = new ContainerAllocator(this.docker, this.containers, {
      bounds,
      usual: (['python', 'bun'] as const).map((language) => environmentOf(language, plain, options)),
      longestMs: maxima.timeoutMs,
      engineAwayMs: options.engineAwayMs ?? 0,
      onError: options.onError ?? (() => {}),
    });
  }

  /**
   * Runs a script to its end and gives the JSON value that it printed. Where it had to be ended (cancel, time, a flood), this
   * rejects when its container is proven gone; where it ended by itself, the removal goes on behind and `idle` waits for it.
   * @throws ToolError TimeoutError, ScriptError, ResourceLimitError, OutputError, SecurityError, CancelledError; ServiceError
   *   for failures of the engine, which a retry may mend
   */
  async run(spec: SandboxSpec, hooks: RunHooks): Promise<Json> {
    return this.track(this.runOnce(spec, hooks));
  }

  private track<T>(run: Promise<T>): Promise<T> {
    this.runs.add(run);
    return run.finally(() => this.runs.delete(run));
  }

  /**
   * Runs an installer in a container whose files it can write, and keeps them as an image. The container's name is the image's:
   * where another builds the same, the engine refuses this one.
   * @throws ToolError as `run`, where the installer failed; nothing is kept then
   */
  async build(spec: SandboxSpec, hooks: RunHooks, image: KeptImage): Promise<void> {
    return this.track(this.buildOnce(spec, hooks, image));
  }

  private async buildOnce(spec: SandboxSpec, hooks: RunHooks, image: KeptImage): Promise<void> {
    const limits = resolveLimits(spec.limits, spec.timeoutMs, BUILD_LIMITS);
    const request = encodeRequest({ ...spec, limits, tunnels: spec.connect !== undefined }, true);
    const environment = { ...environmentOf(spec.bundle.language, limits, this.options), writable: true };
    const purpose = { role: 'build', name: `${image.repo}-${image.tag}` } as const;
    const { container, response, again, logTail } = await serveRun(
      this.docker,
      this.containers,
      { spec, request, limits, hooks },
      () => this.containers.start(environment, purpose, BOUNDS.bootMs + 2 * limits.timeoutMs),
    );
    try {
      toResult(response, limits, logTail);
      await again;
      await container.keepAs(image);
    } finally {
      await this.containers.destroy(container);
    }
  }

  /**
   * Removes orphans by label; call it at the start and every half minute.
   * @returns how many containers were removed
   */
  sweep(): Promise<number> {
    const { runnerId, installation = runnerId, isAlive } = this.options;
    return sweepOrphans(this.docker, {
      runnerId,
      installation,
      isAlive,
      isOurs: (container) => this.containers.has(container),
    });
  }

  /** Whether runs can be taken: the engine answers, and images and runtime are there. `reason` is for the operator. */
  async ping(): Promise<{ ok: boolean; reason?: string }> {
    try {
      await this.docker.ping();
      for (const image of new Set(Object.values(this.options.images))) await this.docker.getImage(image).inspect();
      await requireRuntime(this.docker, this.options.runtime);
      return { ok: true };
    } catch (cause) {
      const error = asServiceError('cannot run scripts', cause);
      const hint = hintOf(error);
      return { ok: false, reason: hint === undefined ? error.message : `${error.message}. ${hint}` };
    }
  }

  /** How many containers wait for a run of anyone's. */
  get waiting(): number {
    return this.allocator.waiting;
  }

  /** Resolves when all runs have ended and their containers are gone; others may wait on. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.runs);
    await this.containers.settled();
  }

  /** Takes down all that waits; resolves when nothing is left. Cancel runs through their signals first to hasten it. */
  async close(): Promise<void> {
    await Promise.allSettled(this.runs);
    await this.allocator.close();
    await this.containers.settled();
  }

  private async runOnce(spec: SandboxSpec, hooks: RunHooks): Promise<Json> {
    if (hooks.signal.aborted) throw cancelled();
    const limits = resolveLimits(spec.limits, spec.timeoutMs, this.options.maxima);
    const environment = environmentOf(spec.bundle.language, limits, this.options, spec);
    const isReusable = environment.reusable === true;
    const request = encodeRequest({ ...spec, limits, tunnels: spec.connect !== undefined }, isReusable);
    const need = { spec, environment, signal: hooks.signal };
    const { container, response, again, logTail } = await serveRun(
      this.docker,
      this.containers,
      { spec, request, limits, hooks },
      () => this.allocator.take(need),
    );
    this.allocator.giveBack(need, container, hitLimit(response.report) ? undefined : again);
    hooks.onUsage?.({ peakMemoryKb: response.report.peakMemoryKb });
    if (response.archive) hooks.onArchive?.(response.archive);
    const { leftOut = [] } = response.report.outgoing ?? {};
    if (leftOut.length > 0)
      hooks.onLog([`[errand] not handed out, for they are no regular files: ${leftOut.join(', ')}`]);
    const result = toResult(response, limits, logTail, {
      artifactBytes: spec.artifactBytes,
      hasNetwork: spec.connect !== undefined,
    });
    if (findInexact(response.stdout.toString()) !== undefined) hooks.onLog([ROUNDED]);
    return result;
  }
}
