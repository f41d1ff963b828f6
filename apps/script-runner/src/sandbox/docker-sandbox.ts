import { findInexact, type Json, type Language } from '@errand/contracts';
import Docker, { type DockerOptions } from 'dockerode';
import { hintOf } from '@errand/platform';
import type { PoolBounds } from './warm-pool.js';
import { ContainerAllocator } from './acquire-container.js';
import { encodeRequest } from './protocol/request.js';
import { asServiceError, requireRuntime } from './docker-errors.js';
import { environmentOf } from './environment.js';
import { ContainerRegistry, sweepOrphans } from './container-registry.js';
import { cancelled, hitLimit, toResult } from './outcome.js';
import { BOUNDS, BUILD_LIMITS, resolveLimits, type RunLimits } from './limits.js';
import type { KeptImage } from './container.js';
import type { RunHooks, SandboxSpec } from './sandbox-run.js';
import { serveRun } from './protocol/exchange.js';

export interface DockerSandboxOptions {
  /** The address of the Docker engine. Default: `DOCKER_HOST`, else the local socket. */
  docker?: DockerOptions;
  images: Readonly<Record<Language, string>>;
  /** Unique to this process. It labels the containers, so that a sweep knows their runner. */
  runnerId: string;
  /** The same for all runners that `isAlive` knows. Default: this runner is alone. */
  installation?: string;
  /** The operator's limits. No tool and no caller gets more. */
  maxima: RunLimits;
  /** The container runtime; `runsc` is gVisor. Default: the default of the Docker engine. */
  runtime?: 'runc' | 'crun' | 'runsc';
  /** Default: no container waits. */
  pool?: PoolBounds;
  /** How long a run that has not begun waits for an unreachable Docker engine, in ms. Default: it fails at once. */
  engineAwayMs?: number;
  /** Whether another runner lives. `sweep` asks it. */
  isAlive?: (runnerId: string) => Promise<boolean>;
  /** Receives errors of background work. */
  onError?: (error: unknown) => void;
}

/** The result is kept: for example, timestamps in nanoseconds have more digits than JSON numbers keep. */
const ROUNDED =
  '[errand] a number of the result has more digits than a JSON number can keep, and was rounded: print it as text';

/**
 * Runs scripts in containers of the local Docker engine. A container serves one run, or several runs of one tool with
 * `reuse: "per-tool"`.
 */
export class DockerSandbox {
  private readonly docker: Docker;
  private readonly containers: ContainerRegistry;
  private readonly allocator: ContainerAllocator;
  private readonly runs = new Set<Promise<unknown>>();

  constructor(private readonly options: DockerSandboxOptions) {
    const { pool: bounds, maxima, runnerId, installation = runnerId } = options;
    this.docker = new Docker(options.docker);
    this.containers = new ContainerRegistry(this.docker, { runnerId, installation });
    const defaults = resolveLimits({}, undefined, maxima);
    this.allocator = new ContainerAllocator(this.docker, this.containers, {
      bounds,
      usual: (['python', 'bun'] as const).map((language) => environmentOf(language, defaults, options)),
      longestMs: maxima.timeoutMs,
      engineAwayMs: options.engineAwayMs ?? 0,
      onError: options.onError ?? (() => {}),
    });
  }

  /**
   * Runs a script to its end and returns the JSON value that it printed. If the run had to be ended (cancel, time, log
   * flood), it rejects when its container is confirmed to be gone. If the script ended by itself, the container is removed
   * in the background, and `idle` waits for it.
   * @throws ToolError TimeoutError, ScriptError, ResourceLimitError, OutputError, SecurityError, CancelledError;
   *   ServiceError for failures of the Docker engine, after which a retry may succeed
   */
  async run(spec: SandboxSpec, hooks: RunHooks): Promise<Json> {
    return this.track(this.runOnce(spec, hooks));
  }

  private track<T>(run: Promise<T>): Promise<T> {
    this.runs.add(run);
    return run.finally(() => this.runs.delete(run));
  }

  /**
   * Runs an installer in a container with writable files, and keeps the files as an image. The container has the name of
   * the image, so Docker refuses a second build of the same image.
   * @throws ToolError like `run` if the installer failed; no image is kept then
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
   * Removes orphaned containers by their label. The caller calls it at the start and every half minute.
   * @returns the number of removed containers
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

  /** Whether the Docker engine responds and has the images and the runtime. `reason` is for the operator. */
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

  /** The number of containers that wait for any run. */
  get waiting(): number {
    return this.allocator.waiting;
  }

  /** Resolves when all runs have ended and their containers are gone. Waiting containers may remain. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.runs);
    await this.containers.settled();
  }

  /** Waits for the runs, then ends all waiting containers. Abort the signals of the runs first to end them sooner. */
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
    const containerRequest = { spec, environment, signal: hooks.signal };
    const { container, response, again, logTail } = await serveRun(
      this.docker,
      this.containers,
      { spec, request, limits, hooks },
      () => this.allocator.acquire(containerRequest),
    );
    this.allocator.giveBack(containerRequest, container, hitLimit(response.report) ? undefined : again);
    hooks.onUsage?.({ peakMemoryKb: response.report.peakMemoryKb });
    if (response.archive) hooks.onArchive?.(response.archive);
    const { leftOut = [] } = response.report.outgoing ?? {};
    if (leftOut.length > 0)
      hooks.onLog([`[errand] not returned, because they are not regular files: ${leftOut.join(', ')}`]);
    const result = toResult(response, limits, logTail, {
      artifactBytes: spec.artifactBytes,
      hasNetwork: spec.connect !== undefined,
    });
    if (findInexact(response.stdout.toString()) !== undefined) hooks.onLog([ROUNDED]);
    return result;
  }
}
