import { randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type Docker from 'dockerode';
import { containerOptions, type ContainerPurpose, LABELS } from './container-options.js';
import type { SandboxEnvironment } from './environment.js';
import { SandboxContainer, end } from './container.js';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isObject } from '@errand/contracts';

/** Every container of this runner, from before it is made until its end is confirmed: whatever else carries its label is an orphan. */
export class ContainerRegistry {
  private readonly all = new Set<SandboxContainer>();
  /** Those that no longer wait for a run: the sandbox is idle without them. */
  private readonly departing = new Set<SandboxContainer>();
  private readonly departures = new EventEmitter();

  constructor(
    private readonly docker: Docker,
    private readonly owner: { runnerId: string; installation: string },
  ) {}

  /**
   * A container whose supervisor takes requests.
   * @param lifeMs how long it may be needed
   * @throws ToolError ServiceError; nothing is left then
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
      this.destroy(container).catch(() => {}); // should its end not be confirmed, the next sweep finds it
      throw error;
    }
  }

  /** Resolves when it is proven gone. @throws ToolError ServiceError where that could not be confirmed */
  destroy(container: SandboxContainer): Promise<void> {
    return this.untrack(container, container.destroy());
  }

  /** Lets it go, in the background; should its end not be confirmed, the next sweep finds it. */
  release(container: SandboxContainer): void {
    this.awaitEnd(container).catch(() => {});
  }

  /** As `release`, for those who must know: resolves when it is gone. @throws ToolError ServiceError where that could not be confirmed */
  awaitEnd(container: SandboxContainer): Promise<void> {
    return this.untrack(container, container.release());
  }

  has({ id, names }: { id: string; names: string[] }): boolean {
    return [...this.all].some((one) => one.id === id || names.includes(one.name));
  }

  /** Resolves when every container that was let go is gone. */
  async settled(): Promise<void> {
    while (this.departing.size > 0) await once(this.departures, 'gone');
  }

  private async untrack(container: SandboxContainer, ended: Promise<void>): Promise<void> {
    this.departing.add(container);
    try {
      await ended;
    } finally {
      this.all.delete(container);
      this.departing.delete(container);
      this.departures.emit('gone');
    }
  }
}

/** How long after its deadline a container is an orphan, whoever made it. */
const OVERDUE_MS = 60_000;

export interface Census {
  runnerId: string;
  installation: string;
  /** Whether this runner knows of a container that carries its label. */
  isOurs(container: { id: string; names: string[] }): boolean;
  /** Whether another runner lives; without it, others' containers are left until they are overdue. */
  isAlive?: (runnerId: string) => Promise<boolean>;
}

/**
 * Removes the containers that nobody will end any more: those of dead runners, this runner's own that it knows nothing of, and the
 * overdue. The lifeline makes them rare: an engine that was restarted, a supervisor that was stopped.
 * @returns how many were removed
 * @throws AggregateError after the last, where some could not be removed
 */
export async function sweepOrphans(docker: Docker, census: Census): Promise<number> {
  const containers = await docker.listContainers({ all: true, filters: { label: [LABELS.runner] } });
  const failures: unknown[] = [];
  let removed = 0;
  for (const container of containers) {
    if (!(await isOrphan(container, census))) continue;
    await end(docker.getContainer(container.Id), container.State === 'running').then(
      () => removed++,
      (error: unknown) => failures.push(error),
    );
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} orphans could not be removed`);
  return removed;
}

async function isOrphan({ Id, Labels, Names }: Docker.ContainerInfo, census: Census): Promise<boolean> {
  const runner = Labels[LABELS.runner] ?? '';
  if (runner === census.runnerId) return !census.isOurs({ id: Id, names: Names.map((name) => name.slice(1)) });
  if (Date.now() > Number(Labels[LABELS.deadline]) + OVERDUE_MS) return true;
  if (isGoneFromHere(runner)) return true;
  // Runners of another Redis are not ours to judge.
  if ((Labels[LABELS.installation] ?? census.installation) !== census.installation) return false;
  return census.isAlive !== undefined && !(await census.isAlive(runner));
}

/**
 * A new name at every start, for containers of an earlier life of a process are orphans. It says where the process runs: the
 * host, its namespace of process ids, and its process id.
 */
export function newRunnerId(): string {
  return `${here()}${process.pid}-${randomUUID()}`;
}

/** Whether the process of this name ran where this one runs, and is gone: then nobody needs to wait for its sign of life. */
export function isGoneFromHere(runnerId: string): boolean {
  const place = here();
  const pid = runnerId.startsWith(place) ? Number.parseInt(runnerId.slice(place.length), 10) : NaN;
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return isObject(error) && error.code === 'ESRCH';
  }
}

/** Process ids mean nothing outside of their namespace; where there are none, the name fits nobody's. */
function here(): string {
  try {
    return `${hostname()}-${readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')}-`;
  } catch {
    return `${hostname()}-${randomUUID()}-`;
  }
}
