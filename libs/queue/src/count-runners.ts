import { DEFAULT_LABEL } from '@errand/contracts';
import type { Queues } from './connect.js';
import { countConsumers } from './consumer-presence.js';
import { labelOf } from './names.js';

/** How many script-runners are alive that offer a label, by label: of `default`, and of every other that was ever offered or asked for. */
export async function countRunners(queues: Queues): Promise<Record<string, number>> {
  const places = ['scripts' as const, ...(await queues.labelled())];
  const counts = await Promise.all(places.map((queue) => countConsumers(queues.redis, queue)));
  return Object.fromEntries(places.map((queue, n) => [labelOf(queue) ?? DEFAULT_LABEL, counts[n]!]));
}
