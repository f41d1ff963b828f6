import { setImmediate as nextTurn } from 'node:timers/promises';

/** A tenant is light in a group if it has at most this part of the jobs. */
const LIGHT_PART = 1 / 4;

interface Owned {
  tenant: string | undefined;
}

/** Divides the jobs of a group into those of light tenants and the others, each in their order. All are light, or none: there are no others. */
export function lightAndOthers<Job extends Owned>(group: readonly Job[]): [light: Job[], others: Job[]] {
  const counts = new Map<string | undefined, number>();
  for (const { tenant } of group) counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
  const isLight = ({ tenant }: Job) => (counts.get(tenant) ?? 0) <= group.length * LIGHT_PART;
  const light = counts.size > 1 ? group.filter(isLight) : [];
  if (light.length === 0 || light.length === group.length) return [[...group], []];
  return [light, group.filter((job) => !isLight(job))];
}

/**
 * Starts the jobs of a group: first those of light tenants, and the others in the next turn of the event loop. A light job that waits for
 * nothing has then ended, and does not wait for the others.
 * @param onLightStarted called before the others start
 */
export async function startInOrder<Job extends Owned>(
  group: readonly Job[],
  start: (jobs: readonly Job[]) => void,
  onLightStarted: () => void,
): Promise<void> {
  const [first, others] = lightAndOthers(group);
  start(first);
  if (others.length === 0) return;
  await nextTurn();
  onLightStarted();
  start(others);
}
