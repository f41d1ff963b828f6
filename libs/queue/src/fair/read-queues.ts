import { join } from 'node:path';
import type { Queues } from '../redis/connect.js';
import { countSlots } from '../consume/heartbeats.js';
import { loadScript } from '../redis/lua-script.js';
import { DELIVERIES, keysOf, QUEUE_NAMES, type WorkQueue } from '../redis/names.js';
import { EVERY_TENANT, type TenantReach } from '../state/tenant-reach.js';
import { countInLanes } from './show-ring.js';

const READ_TENANTS = loadScript<[tenant: string, waiting: number, active: number, weight: string, since: number][]>(
  join(__dirname, 'read-tenants.lua'),
);

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
  tenants: TenantWork[];
}

/** The names of all queues, also of those that have no work. One command. */
export async function queueNames(queues: Queues): Promise<(WorkQueue | typeof DELIVERIES)[]> {
  return [...QUEUE_NAMES, ...(await queues.labelled()), DELIVERIES];
}

/** Reads the work of the tenants within reach in one queue: of 1,000 waiting tenants at most. Four commands. */
export async function readQueue(
  { redis }: Queues,
  queue: WorkQueue | typeof DELIVERIES,
  reach: TenantReach,
): Promise<ShownQueue> {
  const keys = keysOf(redis);
  const prefix = keys.job(queue, '');
  const [read, slots, paused, ...sizes] = await Promise.all([
    READ_TENANTS.run(redis, [prefix], []),
    countSlots(redis, queue),
    redis.hexists(`${prefix}meta`, 'paused'),
    countInLanes(redis, prefix),
    redis.llen(keys.set(queue, 'wait')),
    redis.zcard(keys.set(queue, 'prioritized')),
    redis.llen(keys.set(queue, 'active')),
  ]);
  const sum = read.reduce((all, [, , , weight]) => all + Number(weight), 0);
  const now = Date.now();
  const tenants = read
    .filter(([tenant]) => reach === EVERY_TENANT || reach === tenant)
    .map(([tenant, waiting, active, weight, since]) => {
      const share = Math.round((Number(weight) / sum) * 10_000) / 10_000;
      return { tenant, waiting, active, share, oldestMs: since === 0 ? 0 : Math.max(0, now - since) };
    });
  const [inLanes, wait, prioritized, running] = sizes;
  const own = (field: 'waiting' | 'active') => tenants.reduce((all, each) => all + each[field], 0);
  return {
    name: queue,
    paused: paused === 1 ? { at: null, by: null, note: null } : null,
    waiting: reach === EVERY_TENANT ? inLanes + wait + prioritized : own('waiting'),
    active: reach === EVERY_TENANT ? running : own('active'),
    slots,
    tenants,
  };
}
