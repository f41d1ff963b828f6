import { join } from 'node:path';
import type { ShownQueue, TenantWork } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { readConsumers } from '../consume/heartbeats.js';
import { readPause } from '../pause/pause-queue.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { DELIVERIES, QUEUE_NAMES, type WorkQueue } from '../redis/queue-names.js';
import { EVERY_TENANT, type TenantReach } from '../state/tenant-reach.js';
import { readDepth } from '../state/queue-status.js';
import {
  oldestOf,
  pageOfTenants,
  readInLanes,
  sumOfWeights,
  tallyJobs,
  tallySortedSet,
  type Tallies,
} from './tenant-work.js';

const PACE = loadScript<[perMinute: number, waits: number[]]>(join(__dirname, 'read-pace.lua'));

/** A page of the tenants of a queue. */
export interface TenantPage {
  /** '0', or `nextCursor` of the page before. */
  cursor: string;
  /** The usual number of tenants. Redis decides on the last few. */
  limit: number;
}

export const FIRST_TENANTS: TenantPage = { cursor: '0', limit: 1_000 };

/** The names of all queues, also of those that have no work. One command. */
export async function queueNames(queues: Queues): Promise<(WorkQueue | typeof DELIVERIES)[]> {
  return [...QUEUE_NAMES, ...(await queues.labelled()), DELIVERIES];
}

/**
 * Reads the work of the tenants within reach in one queue: one page of them, or those with these names. The numbers are exact if nothing
 * changes meanwhile; no command looks at more than some thousand keys. The first page also has the tenants whose jobs all run already.
 */
export async function readQueue(
  { redis }: Queues,
  queue: WorkQueue | typeof DELIVERIES,
  reach: TenantReach,
  page: TenantPage | readonly string[] = FIRST_TENANTS,
): Promise<ShownQueue> {
  const keys = keysOf(redis);
  const prefix = keys.job(queue, '');
  const isWhole = reach === EVERY_TENANT;
  const [tallies, consumers, paused, depth, [perMinute, waits], beside] = await Promise.all([
    tallyJobs(redis, prefix),
    readConsumers(redis, queue),
    readPause({ redis }, queue),
    readDepth({ redis }, queue),
    PACE.run(redis, [prefix], [Date.now(), isWhole ? '' : reach]),
    isWhole ? undefined : countBeside(redis, prefix, reach),
  ]);
  const { tenants: names, next } =
    'cursor' in page ? await namesOf({ redis, prefix, tallies }, reach, page) : { tenants: page, next: '0' };
  const tenants = await readWork({ redis, prefix, tallies }, keys.tenantWeights, names);
  const sum = (field: 'waiting' | 'active') => tenants.reduce((all, each) => all + each[field], 0);
  const counts = isWhole
    ? depth.jobs
    : { waiting: sum('waiting'), active: sum('active'), later: 0, owed: 0, ...beside };
  return {
    name: queue,
    paused,
    ...counts,
    oldestMs: Math.max(isWhole ? depth.oldestMs : 0, ...tenants.map(({ oldestMs }) => oldestMs)),
    ...consumers,
    perMinute,
    p50WaitMs: medianOf(waits),
    tenants,
    nextCursor: next === '0' ? null : next,
  };
}

/** The delayed jobs of a tenant, and its deliveries of invocations that have not ended, among the first 10,000 of the queue. */
async function countBeside(redis: Queues['redis'], prefix: string, tenant: string) {
  const [later, owed] = await Promise.all(
    ['delayed', 'waiting-children'].map((set) => tallySortedSet(redis, prefix, set)),
  );
  return { later: later?.get(tenant)?.count ?? 0, owed: owed?.get(tenant)?.count ?? 0 };
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** The names of a page of the tenants that have work in a queue, and the cursor of the next page: '0' after the last one. */
export async function readTenantNames(
  { redis }: Queues,
  queue: WorkQueue | typeof DELIVERIES,
  page: TenantPage,
): Promise<{ tenants: string[]; next: string }> {
  const prefix = keysOf(redis).job(queue, '');
  return namesOf({ redis, prefix, tallies: await tallyJobs(redis, prefix) }, EVERY_TENANT, page);
}

/** Where the work of a queue is read from. */
interface QueueWork {
  redis: Queues['redis'];
  prefix: string;
  tallies: Tallies;
}

/** The tenants of a page. A tenant that sees its own work only is the whole first page. */
async function namesOf(
  { redis, prefix, tallies }: QueueWork,
  reach: TenantReach,
  page: TenantPage,
): Promise<{ tenants: string[]; next: string }> {
  if (reach !== EVERY_TENANT) return { tenants: [reach], next: '0' };
  const { tenants, next } = await pageOfTenants(redis, prefix, page);
  if (page.cursor !== '0') return { tenants, next };
  const elsewhere = [...new Set([...tallies.waiting.keys(), ...tallies.active.keys()])];
  const inLanes = elsewhere.length > 0 ? await redis.hmget(`${prefix}fair:tenants`, ...elsewhere) : [];
  return { tenants: [...tenants, ...elsewhere.filter((_, n) => inLanes[n] === null)], next };
}

/** The work of these tenants; of those without any, nothing. */
async function readWork(
  { redis, prefix, tallies }: QueueWork,
  weights: string,
  names: readonly string[],
): Promise<TenantWork[]> {
  if (names.length === 0) return [];
  const [inLanes, ownWeights, sum] = await Promise.all([
    readInLanes(redis, prefix, names),
    redis.hmget(weights, ...names),
    sumOfWeights(redis, prefix, weights, tallies),
  ]);
  const now = Date.now();
  return names.flatMap((tenant, n) => {
    const wait = tallies.waiting.get(tenant);
    const waiting = (inLanes[n]?.count ?? 0) + (wait?.count ?? 0);
    const active = tallies.active.get(tenant)?.count ?? 0;
    if (waiting + active === 0) return [];
    const share = Math.min(1, Math.round((Number(ownWeights[n] ?? 1) / sum) * 10_000) / 10_000);
    const since = oldestOf(inLanes[n]?.since ?? 0, wait?.since ?? 0);
    return [{ tenant, waiting, active, share, oldestMs: since === 0 ? 0 : Math.max(0, now - since) }];
  });
}
