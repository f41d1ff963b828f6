import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Json, Language } from '@errand/contracts';
import Docker, { type DockerOptions } from 'dockerode';
import { containerOptions } from './container-options.js';
import { converse, SandboxLost } from './converse.js';
import { encodeRequest } from './encode-request.js';
import { explainLoss } from './explain-loss.js';
import { asServiceError } from './engine-error.js';
import { cancelled, judge } from './judge.js';
import { BOUNDS, resolveLimits, type RunLimits } from './limits.js';
import type { Answer } from './read-answer.js';
import { LogReader } from './read-log.js';
import { SandboxContainer } from './sandbox-container.js';
import type { RunHooks, SandboxSpec } from './sandbox-spec.js';
import { sweepOrphans } from './sweep.js';

export interface DockerSandboxOptions {
  /** Where the engine is; by default `DOCKER_HOST`, else the local socket. */
  docker?: DockerOptions;
  images: Readonly<Record<Language, string>>;
  /** Unique to this process: it labels the containers, so that a sweep knows whose they are. */
  runnerId: string;
  /** The operator's: no tool and no caller gets more. */
  maxima: RunLimits;
  /** The engine's runtime; `runsc` is gVisor. By default the engine's own default. */
  runtime?: 'runc' | 'crun' | 'runsc';
  /** Whether another runner lives, for `sweep`. */
  isAlive?: (runnerId: string) => Promise<boolean>;
}

/** Runs scripts in containers of the local Docker engine: one container, one run. */
export class DockerSandbox {
  private readonly docker: Docker;
  /** Names of the containers of runs that go on, and of those whose end is not yet confirmed. */
  private readonly inFlight = new Set<string>();
  private readonly departures = new EventEmitter();

  constructor(private readonly options: DockerSandboxOptions) {
    this.docker = new Docker(options.docker);
  }

  /**
   * Runs a script to its end and gives the JSON value that it printed. Where it had to be ended (cancel, time, a flood), this
   * rejects when its container is proven gone; where it ended by itself, the removal goes on behind and `close` waits for it.
   * @throws ToolError TimeoutError, ScriptError, ResourceLimitError, OutputError, SecurityError, CancelledError; ServiceError
   *   for failures of the engine, which a retry may mend
   */
  async run(spec: SandboxSpec, hooks: RunHooks): Promise<Json> {
    if (hooks.signal.aborted) throw cancelled();
    const limits = resolveLimits(spec.limits, spec.timeoutMs, this.options.maxima);
    const nonce = randomBytes(16).toString('hex');
    const request = encodeRequest({ ...spec, limits, nonce });
    const log = new LogReader(nonce, hooks);
    const container = this.containerFor(spec, limits);
    const since = Date.now();
    this.inFlight.add(container.name);
    let answer: Answer;
    try {
      answer = await converse(await container.open(), { request, nonce, limits, log, signal: hooks.signal });
    } catch (error) {
      await this.untrack(container, container.destroy());
      throw error instanceof SandboxLost
        ? await explainLoss(this.docker, container.name, { since, limits, logTail: log.tail })
        : error;
    }
    // Should its end not be confirmed, the next sweep finds it.
    this.untrack(container, container.release()).catch(() => {});
    hooks.onUsage?.({ peakMemoryKb: answer.report.peakMemoryKb });
    return judge(answer, limits, log.tail);
  }

  /**
   * Removes orphans by label; call it at the start and every half minute.
   * @returns how many containers were removed
   */
  sweep(): Promise<number> {
    const { runnerId, isAlive } = this.options;
    return sweepOrphans(this.docker, { runnerId, isAlive, inFlight: (name) => this.inFlight.has(name) });
  }

  /** Whether runs can be taken: the engine answers and the images are there. */
  async ping(): Promise<{ ok: boolean; reason?: string }> {
    try {
      await this.docker.ping();
      for (const image of new Set(Object.values(this.options.images))) await this.docker.getImage(image).inspect();
      return { ok: true };
    } catch (cause) {
      return { ok: false, reason: asServiceError('cannot run scripts', cause).message };
    }
  }

  /** Resolves when all runs have ended and all their containers are gone. Cancel runs through their signals first to hasten it. */
  async close(): Promise<void> {
    while (this.inFlight.size > 0) await once(this.departures, 'gone');
  }

  private containerFor({ invocationId, step, toolId, bundle }: SandboxSpec, limits: RunLimits): SandboxContainer {
    const { images, runnerId, runtime } = this.options;
    const deadline = Date.now() + BOUNDS.bootMs + limits.timeoutMs;
    const name = `errand-${randomBytes(10).toString('hex')}`;
    return new SandboxContainer(
      this.docker,
      containerOptions({
        name,
        image: images[bundle.language],
        runnerId,
        invocationId,
        step,
        toolId,
        deadline,
        limits,
        runtime,
      }),
    );
  }

  private async untrack(container: SandboxContainer, end: Promise<void>): Promise<void> {
    try {
      await end;
    } finally {
      this.inFlight.delete(container.name);
      this.departures.emit('gone');
    }
  }
}
