import { setImmediate as nextTurn } from 'node:timers/promises';

/** A tenant is light in a group if it has at most this part of an equal share of the jobs. */
const LIGHT_PART = 1 / 2;

interface Owned {
  tenant: string | undefined;
}

/** Divides the jobs of a group into those of light tenants and the others, each in their order. If none is light, all come first. */
export function lightAndOthers<Job extends Owned>(group: readonly Job[]): [light: Job[], others: Job[]] {
  const counts = new Map<string | undefined, number>();
  for (const { tenant } of group) counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
  const most = (group.length / counts.size) * LIGHT_PART;
  const isLight = ({ tenant }: Job) => (counts.get(tenant) ?? 0) <= most;
  const light = group.filter(isLight);
  if (light.length === 0) return [[...group], []];
  return [light, group.filter((job) => !isLight(job))];
}

/**
 * Starts the jobs of a group: first those of light tenants, and the others in the next turn of the event loop. A light job that waits for
 * nothing has then ended, and does not wait for the others. Resolves when `storeLight` has.
 * @param storeLight stores the ends of light jobs, called before the others start. If the next call were sent meanwhile, Redis could run both
 *   before it sends the notifications of the first
 */
export async function startInOrder<Job extends Owned>(
  group: readonly Job[],
  start: (jobs: readonly Job[]) => void,
  storeLight: () => Promise<void>,
): Promise<void> {
  const [first, others] = lightAndOthers(group);
  start(first);
  if (others.length === 0) return;
  await nextTurn();
  const stored = storeLight();
  start(others);
  await stored;
}
