import { timePrefix, type DeliveryStatus, type ListedDelivery } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { deliveryOfMember } from '../redis/job-ids.js';
import { keysOf } from '../redis/names.js';
import { readDelivery } from './deliveries.js';

/** The conditions of a list of deliveries. Times are in ms since 1970. */
export interface DeliveryQuery {
  status?: DeliveryStatus;
  /** Host and port of the address. */
  receiver?: string;
  /** Of invocations that were accepted at this time or later. */
  from?: number;
}

/** A page of a list by keys. `next` is the position after which the next page begins; it is absent after the last page. */
export interface KeyedPage<T> {
  items: { position: string; item: T }[];
  next?: string;
}

/** The highest number of deliveries that are looked at for one page, and at the same time. */
const MAX_LOOKED = 500;
const AT_ONCE = 50;

/**
 * A page of the deliveries of a tenant, the newest invocation first. If matches are rare, a page can have fewer items than `limit`, even none,
 * although more pages follow. With `status: 'failed'`, a failed delivery that was repeated is left out: the redelivery takes its place.
 */
export async function listDeliveries(
  queues: Queues,
  tenant: string,
  query: DeliveryQuery,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<KeyedPage<ListedDelivery>> {
  const { redis } = queues;
  const index = keysOf(redis).deliveryIndex(tenant, query.status === 'failed' ? 'deliveries-failed' : 'deliveries');
  const lower = query.from === undefined ? '-' : `[${timePrefix(query.from)}`;
  const items: KeyedPage<ListedDelivery>['items'] = [];
  let position = after;
  for (let looked = 0; looked < MAX_LOOKED; looked += AT_ONCE) {
    const upper = position === undefined ? '+' : `(${position}`;
    const members = await redis.zrevrangebylex(index, upper, lower, 'LIMIT', 0, AT_ONCE);
    const found = await Promise.all(members.map((member) => readListed(queues, member)));
    const gone = members.filter((_, n) => found[n] === undefined);
    if (gone.length > 0) await redis.zrem(index, ...gone);
    for (const [n, member] of members.entries()) {
      const item = found[n];
      if (item && fits(item, query)) {
        if (items.length === limit) return { items, next: items.at(-1)?.position ?? member };
        items.push({ position: member, item });
      }
      position = member;
    }
    if (members.length < AT_ONCE) return { items };
  }
  return { items, ...(position !== undefined && { next: position }) };
}

async function readListed(queues: Queues, member: string): Promise<ListedDelivery | undefined> {
  const { invocationId, index } = deliveryOfMember(member);
  const delivery = await readDelivery(queues, invocationId, index);
  return delivery && { ...delivery, invocationId, receiver: new URL(delivery.url).host };
}

function fits({ status, receiver }: ListedDelivery, query: DeliveryQuery): boolean {
  return (
    (query.status === undefined || status === query.status) &&
    (query.receiver === undefined || receiver === query.receiver)
  );
}
