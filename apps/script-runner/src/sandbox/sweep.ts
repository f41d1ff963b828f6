import type Docker from 'dockerode';
import { LABELS } from './container-options.js';
import { isGoneFromHere } from './runner-id.js';
import { end } from './sandbox-container.js';

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
