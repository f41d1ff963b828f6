import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecentStarts } from './recent-starts.js';

/** A tenant whose jobs start first has at most this part of an equal share of the last starts. */
const LIGHT_PART = 1 / 2;

interface Owned {
  tenant: string | undefined;
}

/** Divides the jobs of a group into those of light tenants and the others, each in their order. If none is light, all come first. */
export function lightAndOthers<Job extends Owned>(
  group: readonly Job[],
  starts: RecentStarts,
): [light: Job[], others: Job[]] {
  const light: Job[] = [];
  const others: Job[] = [];
  for (const job of group) (starts.isLight(job.tenant, LIGHT_PART) ? light : others).push(job);
  return light.length === 0 ? [others, []] : [light, others];
}

/**
 * Starts the jobs of a group: first those of light tenants, and the others in the next turn of the event loop. A light job that waits for
 * nothing has then ended, and does not wait for the others. Resolves when `storeLight` has.
 * @param starts the last starts of the consumer, with those of the group
 * @param storeLight stores the ends of light jobs, called before the others start. If the next call were sent meanwhile, Redis could run both
 *   before it sends the notifications of the first
 */
export async function startInOrder<Job extends Owned>(
  group: readonly Job[],
  starts: RecentStarts,
  start: (jobs: readonly Job[]) => void,
  storeLight: () => Promise<void>,
): Promise<void> {
  const [first, others] = lightAndOthers(group, starts);
  start(first);
  if (others.length === 0) return;
  await nextTurn();
  const stored = storeLight();
  start(others);
  await stored;
}
