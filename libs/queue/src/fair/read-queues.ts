import type { Queues } from '../redis/connect.js';
import { countSlots } from '../consume/heartbeats.js';
import { DELIVERIES, keysOf, QUEUE_NAMES, type WorkQueue } from '../redis/names.js';
import { EVERY_TENANT, type TenantReach } from '../state/tenant-reach.js';
import { countInLanes } from './show-ring.js';
import { oldestOf, pageOfTenants, readInLanes, sumOfWeights, tallyJobs, type Tallies } from './tenant-work.js';

/** The work of a tenant in a queue. */
interface TenantWork {
  tenant: string;
  waiting: number;
  active: number;
  /** The part of the starts that its weight gives it among the tenants with work, from 0 to 1. */
  share: number;
  /** The age of its oldest next job in ms; 0 if none waits. */
  oldestMs: number;
}

/** A queue as `GET /v1/queues` shows it. */
export interface ShownQueue {
  name: string;
  /** Who has paused it is not known. */
  paused: { at: null; by: null; note: null } | null;
  /** The numbers are those of the tenants within reach. */
  waiting: number;
  active: number;
  /** How many jobs all consumers of the queue run at the same time. */
  slots: number;
  /** A page of the tenants within reach that have work. */
  tenants: TenantWork[];
  /** The cursor of the next page of `tenants`, or null after the last one. */
  nextCursor: string | null;
}

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
  const weights = keys.tenantWeights;
  const [tallies, slots, paused, ...sizes] = await Promise.all([
    tallyJobs(redis, prefix),
    countSlots(redis, queue),
    redis.hexists(`${prefix}meta`, 'paused'),
    countInLanes(redis, prefix),
    redis.llen(keys.set(queue, 'wait')),
    redis.zcard(keys.set(queue, 'prioritized')),
    redis.llen(keys.set(queue, 'active')),
  ]);
  const { tenants: names, next } =
    'cursor' in page ? await namesOf({ redis, prefix, tallies }, reach, page) : { tenants: page, next: '0' };
  const tenants = await readWork({ redis, prefix, tallies }, weights, names);
  const [inLanes, wait, prioritized, running] = sizes;
  const own = (field: 'waiting' | 'active') => tenants.reduce((all, each) => all + each[field], 0);
  return {
    name: queue,
    paused: paused === 1 ? { at: null, by: null, note: null } : null,
    waiting: reach === EVERY_TENANT ? inLanes + wait + prioritized : own('waiting'),
    active: reach === EVERY_TENANT ? running : own('active'),
    slots,
    tenants,
    nextCursor: next === '0' ? null : next,
  };
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
