import { join } from 'node:path';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { queueNames } from './read-queues.js';

const REPAIR = loadScript<[waiting: number, removed: number, wrong: number]>(join(__dirname, 'repair-ring.lua'));

/** What a repair found in a queue. The numbers are -1 for a queue with too many lanes to look at. */
export interface RepairedQueue {
  queue: string;
  /** Jobs that wait in lanes. */
  waiting: number;
  /** Members of rings that had no waiting job. */
  removed: number;
  /** By how much the stored count was too high. */
  wrong: number;
}

/**
 * Corrects the rings and counts of all queues. Errand's scripts leave them right, also when a process dies: only keys that were changed by
 * hand, or evicted, need this. One command for each queue.
 */
export async function repairRings(queues: Queues): Promise<RepairedQueue[]> {
  const keys = keysOf(queues.redis);
  const names = await queueNames(queues);
  return Promise.all(
    names.map(async (queue) => {
      const [waiting, removed, wrong] = await REPAIR.run(queues.redis, [keys.job(queue, '')], []);
      return { queue, waiting, removed, wrong };
    }),
  );
}
