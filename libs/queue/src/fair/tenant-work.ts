import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { loadScript } from '../redis/lua-script.js';

const TALLY = loadScript<[tenant: string, count: number, since: number][]>(join(__dirname, 'tally-jobs.lua'));
const READ = loadScript<[waiting: number, since: number][]>(join(__dirname, 'read-tenants.lua'));

/** No script looks at more jobs than this, so that it takes a few ms. */
const JOBS_AT_ONCE = 1_000;
const TENANTS_AT_ONCE = 100;
/** Running jobs are as many as there are slots. BullMQ's own sets are long only after an upgrade, with what an older version has stored. */
const MOST_RUNNING = 100_000;
const MOST_WAITING = 10_000;

/** The jobs of a tenant in a part of a queue. */
export interface Tally {
  count: number;
  /** The time (ms) of the oldest job, or 0 if it is not known. */
  since: number;
}

/** The jobs in BullMQ's own sets by tenant. */
export interface Tallies {
  waiting: Map<string, Tally>;
  active: Map<string, Tally>;
}

/** The oldest of two times, of which 0 means that it is not known. */
export const oldestOf = (a: number, b: number): number => (a === 0 || b === 0 ? a + b : Math.min(a, b));

interface TalliedSet {
  set: string;
  kind: 'list' | 'sorted';
  size: number;
  isBesideLanes?: boolean;
}

/** Counts the jobs in BullMQ's own sets: up to 100,000 running ones and up to 10,000 in each set of waiting jobs. `prefix` is that of the queue. */
export async function tallyJobs(redis: Redis, prefix: string): Promise<Tallies> {
  const tallies: Tallies = { waiting: new Map(), active: new Map() };
  const [wait, prioritized, active] = await Promise.all([
    redis.llen(`${prefix}wait`),
    redis.zcard(`${prefix}prioritized`),
    redis.llen(`${prefix}active`),
  ]);
  const from = { redis, prefix };
  await addTallies(from, { set: 'wait', kind: 'list', size: Math.min(wait, MOST_WAITING) }, tallies.waiting);
  const urgent = { set: 'prioritized', kind: 'sorted', size: Math.min(prioritized, MOST_WAITING) } as const;
  await addTallies(from, urgent, tallies.waiting);
  await addTallies(from, { set: 'active', kind: 'list', size: Math.min(active, MOST_RUNNING) }, tallies.active);
  return tallies;
}

/** Counts the jobs in a sorted set beside the waiting ones by tenant, up to 10,000 of them. Some of them have been in no lane yet. */
export async function tallySortedSet(redis: Redis, prefix: string, set: string): Promise<Map<string, Tally>> {
  const size = Math.min(await redis.zcard(prefix + set), MOST_WAITING);
  const tallies = new Map<string, Tally>();
  await addTallies({ redis, prefix }, { set, kind: 'sorted', size, isBesideLanes: true }, tallies);
  return tallies;
}

async function addTallies(
  { redis, prefix }: { redis: Redis; prefix: string },
  { set, kind, size, isBesideLanes = false }: TalliedSet,
  into: Map<string, Tally>,
): Promise<void> {
  for (let from = 0; from < size; from += JOBS_AT_ONCE) {
    const to = Math.min(size, from + JOBS_AT_ONCE) - 1;
    for (const [tenant, count, since] of await TALLY.run(
      redis,
      [prefix, prefix + set],
      [kind, from, to, isBesideLanes ? 1 : 0],
    )) {
      const before = into.get(tenant) ?? { count: 0, since: 0 };
      into.set(tenant, { count: before.count + count, since: oldestOf(before.since, since) });
    }
  }
}

/** The jobs of each of these tenants in the lanes of a queue. One command for 100 tenants. */
export async function readInLanes(redis: Redis, prefix: string, tenants: readonly string[]): Promise<Tally[]> {
  const found: Tally[] = [];
  for (let from = 0; from < tenants.length; from += TENANTS_AT_ONCE) {
    const read = await READ.run(redis, [prefix], tenants.slice(from, from + TENANTS_AT_ONCE));
    found.push(...read.map(([count, since]) => ({ count, since })));
  }
  return found;
}

/** Some of the tenants with jobs in the lanes of a queue, and where the next ones begin: '0' after the last. */
export async function pageOfTenants(
  redis: Redis,
  prefix: string,
  { cursor, limit }: { cursor: string; limit: number },
): Promise<{ tenants: string[]; next: string }> {
  const [next, entries] = await redis.hscan(`${prefix}fair:tenants`, cursor, 'COUNT', limit);
  return { tenants: entries.filter((_, n) => n % 2 === 0), next };
}

/**
 * The sum of the weights of all tenants with work in a queue. A tenant without a weight has the weight 1, so that only the others are read: two
 * commands for 1,000 of them.
 * @param weights the key of the weights
 */
export async function sumOfWeights(redis: Redis, prefix: string, weights: string, tallies: Tallies): Promise<number> {
  const inLanes = `${prefix}fair:tenants`;
  const elsewhere = new Set([...tallies.waiting.keys(), ...tallies.active.keys()]);
  const names = [...elsewhere];
  const areInLanes = names.length > 0 ? await redis.hmget(inLanes, ...names) : [];
  let sum = (await redis.hlen(inLanes)) + areInLanes.filter((count) => count === null).length;
  let cursor = '0';
  do {
    const [next, entries] = await redis.hscan(weights, cursor, 'COUNT', JOBS_AT_ONCE);
    const weighted = entries.filter((_, n) => n % 2 === 0);
    const counts = weighted.length > 0 ? await redis.hmget(inLanes, ...weighted) : [];
    for (const [n, tenant] of weighted.entries())
      if (counts[n] !== null || elsewhere.has(tenant)) sum += Number(entries[2 * n + 1]) - 1;
    cursor = next;
  } while (cursor !== '0');
  return sum;
}
