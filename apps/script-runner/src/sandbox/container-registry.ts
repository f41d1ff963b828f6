import { randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { isObject } from '@errand/contracts';
import type Docker from 'dockerode';
import { containerOptions, LABELS, type ContainerPurpose } from './container-options.js';
import { end, SandboxContainer } from './container.js';
import type { SandboxEnvironment } from './environment.js';

/** A result normally reaches its caller within this time, in ms. */
const AFTER_RUN_MS = 20;

/**
 * Tracks every container of this runner, from before its creation until its end is confirmed. Any other container with
 * the label of this runner is an orphan.
 *
 * A container is tracked first. It is also ending from the moment at which the runner gives it up. It is untracked when
 * its removal is confirmed or has failed; after a failure, the next sweep finds it.
 */
export class ContainerRegistry {
  private readonly all = new Set<SandboxContainer>();
  private readonly ending = new Set<SandboxContainer>();
  private readonly endings = new EventEmitter();

  constructor(
    private readonly docker: Docker,
    private readonly owner: { runnerId: string; installation: string },
  ) {}

  /**
   * Starts a container and waits until its supervisor accepts requests.
   * @param lifeMs the longest time for which it can be needed
   * @throws ToolError ServiceError; no container is left then
   */
  async start(environment: SandboxEnvironment, purpose: ContainerPurpose, lifeMs: number): Promise<SandboxContainer> {
    const name = purpose.role === 'build' ? purpose.name : `errand-${purpose.role}-${randomBytes(10).toString('hex')}`;
    const deadline = Date.now() + lifeMs;
    const options = containerOptions({ name, ...this.owner, purpose, deadline, environment });
    const container = new SandboxContainer(this.docker, options);
    this.all.add(container);
    try {
      await container.open();
      return container;
    } catch (error) {
      this.destroy(container).catch(() => {}); // the next sweep finds a container that is left
      throw error;
    }
  }

  /** Resolves when the container is confirmed to be gone. @throws ToolError ServiceError if that cannot be confirmed */
  destroy(container: SandboxContainer): Promise<void> {
    return this.untrack(container, container.destroy());
  }

  /** Releases the container in the background. The next sweep finds a container that is left. */
  release(container: SandboxContainer): void {
    this.awaitEnd(container).catch(() => {});
  }

  /** Releases the container of a run after the result has gone its way: the removal takes more processor time than the whole run. */
  releaseAfterRun(container: SandboxContainer): void {
    const released = delay(AFTER_RUN_MS).then(() => container.release());
    this.untrack(container, released).catch(() => {});
  }

  /** Releases the container and resolves when it is gone. @throws ToolError ServiceError if that cannot be confirmed */
  awaitEnd(container: SandboxContainer): Promise<void> {
    return this.untrack(container, container.release());
  }

  has({ id, names }: { id: string; names: string[] }): boolean {
    return [...this.all].some((one) => one.id === id || names.includes(one.name));
  }

  /** Resolves when every released or destroyed container is gone. */
  async settled(): Promise<void> {
    while (this.ending.size > 0) await once(this.endings, 'gone');
  }

  private async untrack(container: SandboxContainer, ended: Promise<void>): Promise<void> {
    this.ending.add(container);
    try {
      await ended;
    } finally {
      this.all.delete(container);
      this.ending.delete(container);
      this.endings.emit('gone');
    }
  }
}

/** A container is an orphan this long after its deadline, in ms. Its creator does not matter. */
const OVERDUE_MS = 60_000;

interface SweepOptions {
  runnerId: string;
  installation: string;
  /** Whether this runner tracks a container that has its label. */
  isOurs(container: { id: string; names: string[] }): boolean;
  /** Whether another runner lives. Without it, a sweep keeps containers of others until they are overdue. */
  isAlive?: (runnerId: string) => Promise<boolean>;
}

/**
 * Removes orphans: containers of dead runners, untracked containers of this runner, and overdue containers. They are
 * rare, because a container ends when its stdin closes. They remain after a restart of Docker or a stopped supervisor.
 * @returns the number of removed containers
 * @throws AggregateError at the end if some could not be removed
 */
export async function sweepOrphans(docker: Docker, options: SweepOptions): Promise<number> {
  const containers = await docker.listContainers({ all: true, filters: { label: [LABELS.runner] } });
  const failures: unknown[] = [];
  let removed = 0;
  for (const container of containers) {
    if (!(await isOrphan(container, options))) continue;
    await end(docker.getContainer(container.Id), container.State === 'running').then(
      () => removed++,
      (error: unknown) => failures.push(error),
    );
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} orphans could not be removed`);
  return removed;
}

async function isOrphan({ Id, Labels, Names }: Docker.ContainerInfo, options: SweepOptions): Promise<boolean> {
  const runner = Labels[LABELS.runner] ?? '';
  if (runner === options.runnerId) return !options.isOurs({ id: Id, names: Names.map((name) => name.slice(1)) });
  if (Date.now() > Number(Labels[LABELS.deadline]) + OVERDUE_MS) return true;
  if (isGoneFromHere(runner)) return true;
  // This runner cannot see whether a runner of another Redis lives.
  if ((Labels[LABELS.installation] ?? options.installation) !== options.installation) return false;
  return options.isAlive !== undefined && !(await options.isAlive(runner));
}

/**
 * Returns a new id at every start, because the containers of an earlier process are orphans. The id has the host, its
 * process id namespace, and the process id.
 */
export function newRunnerId(): string {
  return `${processIdPrefix()}${process.pid}-${randomUUID()}`;
}

/**
 * Whether a runner ran on this host, in this process id namespace, and its process is gone. In this case, a sweep need
 * not wait until its heartbeat expires.
 */
export function isGoneFromHere(runnerId: string): boolean {
  const prefix = processIdPrefix();
  const pid = runnerId.startsWith(prefix) ? Number.parseInt(runnerId.slice(prefix.length), 10) : NaN;
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return isObject(error) && error.code === 'ESRCH';
  }
}

/** Process ids are valid in their namespace only. On a host without namespaces, the prefix matches no other id. */
function processIdPrefix(): string {
  try {
    return `${hostname()}-${readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')}-`;
  } catch {
    return `${hostname()}-${randomUUID()}-`;
  }
}
