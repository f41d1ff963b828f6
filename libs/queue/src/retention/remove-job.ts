import type { ChainableCommander } from 'ioredis';
import type { Queues } from '../redis/connect.js';
import { deliveryMember } from '../redis/job-ids.js';
import { keysOf, type Keys } from '../redis/names.js';
import { DELIVERIES, type WorkQueue } from '../redis/queue-names.js';
import type { DeliveryRecord } from '../state/record.js';
import { OUTCOMES } from './due-jobs.js';
import { isStored } from './must-stay.js';

/** A job and its queue. */
export interface JobLocation {
  queue: WorkQueue | typeof DELIVERIES;
  id: string;
}

/** Removes all keys that BullMQ keeps for an ended job. */
export function removeJob(multi: ChainableCommander, keys: Keys, { queue, id }: JobLocation): void {
  const parts = ['', ':logs', ':dependencies', ':processed', ':failed', ':unsuccessful'];
  multi.del(...parts.map((part) => keys.job(queue, id) + part));
  for (const outcome of OUTCOMES) multi.zrem(keys.ended(queue, outcome), id);
}

/** Removes deliveries of a callback from the index of their tenant. */
export function removeFromDeliveries(
  multi: ChainableCommander,
  keys: Keys,
  tenant: string,
  ids: readonly string[],
): void {
  for (const part of ['deliveries', 'deliveries-failed'] as const)
    multi.zrem(keys.deliveryIndex(tenant, part), ...ids.map(deliveryMember));
}

/**
 * Removes an ended delivery whose invocation was removed before it ended, because its receiver was away for long. Returns false while the invocation
 * is stored: the removal of the invocation also removes the delivery.
 */
export async function removeDelivery(queues: Queues, id: string): Promise<boolean> {
  const { redis } = queues;
  const keys = keysOf(redis);
  const data = await redis.hget(keys.job(DELIVERIES, id), 'data');
  const record = data === null ? undefined : (JSON.parse(data) as DeliveryRecord);
  if (record && (await isStored(queues, record.invocationId))) return false;
  const multi = redis.multi();
  removeJob(multi, keys, { queue: DELIVERIES, id });
  if (record) removeFromDeliveries(multi, keys, record.tenant, [id]);
  for (const [error] of (await multi.exec()) ?? []) if (error) throw error;
  return true;
}
