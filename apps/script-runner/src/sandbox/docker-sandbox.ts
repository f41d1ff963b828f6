import { ToolError, type Json, type Language } from '@errand/contracts';
import Docker, { type DockerOptions } from 'dockerode';
import { ContainerPool, type PoolBounds } from './container-pool.js';
import { converse, type Conversed } from './converse.js';
import { SandboxLost } from './dialogue.js';
import { encodeRequest, type Request } from './encode-request.js';
import { engineReturns, isEngineAway } from './engine-away.js';
import { asServiceError } from './engine-error.js';
import { environmentOf, keyOf, type Environment } from './environment.js';
import { explainLoss } from './explain-loss.js';
import { Fleet } from './fleet.js';
import { cancelled, hitLimit, judge } from './judge.js';
import { BOUNDS, BUILD_LIMITS, resolveLimits, type RunLimits } from './limits.js';
import { LogReader } from './read-log.js';
import { requireRuntime } from './require-runtime.js';
import { ReusableContainers } from './reusable.js';
import type { KeptImage, SandboxContainer } from './sandbox-container.js';
import type { RunHooks, SandboxSpec } from './sandbox-spec.js';
import { sweepOrphans } from './sweep.js';

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

/** How many containers may be lost before a run has begun in one. */
const MAX_TRIES = 3;

interface Run {
  spec: SandboxSpec;
  request: Request;
  limits: RunLimits;
  hooks: RunHooks;
}

interface Served extends Conversed {
  container: SandboxContainer;
  logTail: string[];
}

/** Runs scripts in containers of the local Docker engine: one container, one run, but for tools that share theirs with themselves. */
export class DockerSandbox {
  private readonly docker: Docker;
  private readonly fleet: Fleet;
  private readonly pool: ContainerPool;
  private readonly reusable: ReusableContainers;
  private readonly runs = new Set<Promise<unknown>>();
  private starting = 0;

  constructor(private readonly options: DockerSandboxOptions) {
    const { pool: bounds = { min: 0, max: 0, maxAgeMs: 0 }, maxima, runnerId, installation = runnerId } = options;
    this.docker = new Docker(options.docker);
    this.fleet = new Fleet(this.docker, { runnerId, installation });
    const lifeMs = bounds.maxAgeMs + maxima.timeoutMs + BOUNDS.bootMs + BOUNDS.reuseMs;
    const plain = resolveLimits({}, undefined, maxima);
    this.pool = new ContainerPool({
      bounds,
      usual: (['python', 'bun'] as const).map((language) => environmentOf(language, plain, options)),
      start: (environment) => this.fleet.start(environment, { role: 'pool' }, lifeMs),
      end: (container) => this.fleet.release(container),
      isStarting: () => this.starting > 0,
      onError: options.onError ?? (() => {}),
    });
    this.reusable = new ReusableContainers(Math.max(bounds.max, 4), (container) => this.fleet.release(container));
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
    const { container, answer, again, logTail } = await this.serve({ spec, request, limits, hooks }, () =>
      this.fleet.start(environment, purpose, BOUNDS.bootMs + 2 * limits.timeoutMs),
    );
    try {
      judge(answer, limits, logTail);
      await again;
      await container.keepAs(image);
    } finally {
      await this.fleet.destroy(container);
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
      isOurs: (container) => this.fleet.has(container),
    });
  }

  /** Whether runs can be taken: the engine answers, and images and runtime are there. */
  async ping(): Promise<{ ok: boolean; reason?: string }> {
    try {
      await this.docker.ping();
      for (const image of new Set(Object.values(this.options.images))) await this.docker.getImage(image).inspect();
      await requireRuntime(this.docker, this.options.runtime);
      return { ok: true };
    } catch (cause) {
      return { ok: false, reason: asServiceError('cannot run scripts', cause).message };
    }
  }

  /** How many containers wait for a run of anyone's. */
  get waiting(): number {
    return this.pool.waiting;
  }

  /** Resolves when all runs have ended and their containers are gone; others may wait on. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.runs);
    await this.fleet.settled();
  }

  /** Takes down all that waits; resolves when nothing is left. Cancel runs through their signals first to hasten it. */
  async close(): Promise<void> {
    await Promise.allSettled(this.runs);
    await this.pool.close();
    this.reusable.close();
    await this.fleet.settled();
  }

  private async runOnce(spec: SandboxSpec, hooks: RunHooks): Promise<Json> {
    if (hooks.signal.aborted) throw cancelled();
    const limits = resolveLimits(spec.limits, spec.timeoutMs, this.options.maxima);
    const request = encodeRequest({ ...spec, limits, tunnels: spec.connect !== undefined }, spec.reuse !== undefined);
    const environment = environmentOf(spec.bundle.language, limits, this.options, spec);
    const reuseKey = spec.reuse === undefined ? undefined : `${spec.reuse} ${keyOf(environment)}`;
    const run = { spec, request, limits, hooks };
    const { container, answer, again, logTail } = await this.serve(run, () =>
      this.containerFor(spec, environment, reuseKey, hooks.signal),
    );
    if (reuseKey !== undefined && !hitLimit(answer.report)) this.reusable.give(reuseKey, container, again);
    else this.fleet.release(container);
    hooks.onUsage?.({ peakMemoryKb: answer.report.peakMemoryKb });
    if (answer.archive) hooks.onArchive?.(answer.archive);
    const { leftOut = [] } = answer.report.outgoing ?? {};
    if (leftOut.length > 0)
      hooks.onLog([`[errand] not handed out, for they are no regular files: ${leftOut.join(', ')}`]);
    return judge(answer, limits, logTail, spec.artifactBytes);
  }

  /** A container may die while it waits and be taken before that is known. Nothing of the run has happened then, and another serves it. */
  private async serve(run: Run, choose: () => Promise<SandboxContainer>): Promise<Served> {
    for (let tries = 1; ; tries++) {
      const log = new LogReader(run.request, run.hooks);
      const container = await choose();
      try {
        return { ...(await this.converseIn(container, run, log)), container, logTail: log.tail };
      } catch (error) {
        if (!(error instanceof SandboxLost)) throw error;
        if (!log.begun && tries < MAX_TRIES) continue;
        const { id, bornAt: since } = container;
        throw await explainLoss(this.docker, id, { since, limits: run.limits, logTail: log.tail });
      }
    }
  }

  private async converseIn(container: SandboxContainer, run: Run, log: LogReader): Promise<Conversed> {
    const { spec, request, limits, hooks } = run;
    container.runs++;
    hooks.onContainer?.(container.id);
    try {
      return await converse(container.dialogue, {
        request,
        limits,
        log,
        signal: hooks.signal,
        connect: spec.connect,
        artifactBytes: spec.artifactBytes,
      });
    } catch (error) {
      await this.fleet.destroy(container);
      throw error;
    }
  }

  /** One of the tool's own, else one that waits, else a new one. */
  private async containerFor(
    spec: SandboxSpec,
    environment: Environment,
    reuseKey: string | undefined,
    signal: AbortSignal,
  ): Promise<SandboxContainer> {
    const own = reuseKey === undefined ? undefined : await this.reusable.take(reuseKey);
    const container = own ?? (await this.pool.take(environment)) ?? (await this.startFor(spec, environment, signal));
    if (!signal.aborted) return container;
    await this.fleet.destroy(container);
    throw cancelled();
  }

  /** Nothing of the run has happened yet, so an engine that is away can be waited for. */
  private async startFor(spec: SandboxSpec, environment: Environment, signal: AbortSignal): Promise<SandboxContainer> {
    const { invocationId, step, toolId } = spec;
    const purpose = { role: 'run', invocationId, step, toolId } as const;
    const lifeMs = BOUNDS.bootMs + BOUNDS.reuseMs + this.options.maxima.timeoutMs;
    const giveUpAt = Date.now() + (this.options.engineAwayMs ?? 0);
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
