import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { queueNames } from './read-queues.js';

const REPAIR_TENANTS = loadScript<[removed: number, wrong: number]>(join(__dirname, 'repair-tenants.lua'));
const REPAIR_TOTAL = loadScript<[waiting: number, wrong: number]>(join(__dirname, 'repair-total.lua'));

/** The tenants that one script looks at, if there is one level. With more levels, there are fewer. */
const AT_ONCE = 100;

/** What a repair found in a queue. */
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
 * hand, or evicted, need this. It looks at a hundred tenants at a time, so that other commands run between.
 */
export async function repairRings(queues: Queues): Promise<RepairedQueue[]> {
  const { redis } = queues;
  const keys = keysOf(redis);
  const repaired: RepairedQueue[] = [];
  for (const queue of await queueNames(queues)) {
    const { removed, wrong } = await repairTenants(redis, {
      prefix: keys.job(queue, ''),
      counts: keys.fair(queue, 'tenants'),
      levels: keys.fair(queue, 'levels'),
      ringOf: (level) => keys.fair(queue, `ring:${level}`),
    });
    const [waiting, wrongTotal] = await REPAIR_TOTAL.run(redis, [keys.job(queue, '')], []);
    repaired.push({ queue, waiting, removed, wrong: wrong + wrongTotal });
  }
  return repaired;
}

interface RingKeys {
  prefix: string;
  counts: string;
  levels: string;
  ringOf(level: string): string;
}

/** Looks at all tenants that have a count, then at those of the rings that have none. */
async function repairTenants(redis: Redis, keys: RingKeys): Promise<{ removed: number; wrong: number }> {
  const levels = await redis.zrange(keys.levels, '0', '-1');
  const count = Math.max(1, Math.floor(AT_ONCE / Math.max(1, levels.length)));
  const sum = { removed: 0, wrong: 0 };
  const repair = async (tenants: readonly string[], passesOverCounted: '0' | '1') => {
    const [removed, wrong] = await REPAIR_TENANTS.run(redis, [keys.prefix], [passesOverCounted, ...tenants]);
    sum.removed += removed;
    sum.wrong += wrong;
  };
  const counts = namesOf((cursor) => redis.hscan(keys.counts, cursor, 'COUNT', count), count);
  for await (const tenants of counts) await repair(tenants, '0');
  for (const level of levels) {
    const members = namesOf((cursor) => redis.zscan(keys.ringOf(level), cursor, 'COUNT', count), count);
    for await (const tenants of members) await repair(tenants, '1');
  }
  return sum;
}

/** The names of a hash or of a sorted set, in lists of at most `count`. A name can come twice. */
async function* namesOf(
  readPage: (cursor: string) => Promise<[next: string, namesAndValues: string[]]>,
  count: number,
): AsyncGenerator<string[]> {
  let cursor = '0';
  do {
    const [next, found] = await readPage(cursor);
    cursor = next;
    const names = found.filter((_, n) => n % 2 === 0);
    for (let from = 0; from < names.length; from += count) yield names.slice(from, from + count);
  } while (cursor !== '0');
}
