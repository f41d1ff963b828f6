import { listDeliveries as deliveriesOf, type KeyedPage } from '../callbacks/list-deliveries.js';
import { listEffects as effectsOf } from '../consume/effect-ledger.js';
import type { Queues } from '../redis/connect.js';
import { askAll } from './ask-all.js';

/** A page of all shards, in the same order as that of one. `missing` names the shards that did not answer. */
export interface MergedKeyedPage<T> {
  items: T[];
  next?: string;
  missing?: string[];
}

/** The highest position first. A shard whose page has an end is unknown below that end, so the merged page goes no further. */
async function merge<T>(
  queues: Queues,
  limit: number,
  read: (shard: Queues) => Promise<KeyedPage<T>>,
): Promise<MergedKeyedPage<T>> {
  const { answers, missing } = queues.shards
    ? await askAll(queues.shards.all, read)
    : { answers: [await read(queues)], missing: [] };
  const horizon = answers
    .flatMap(({ next }) => next ?? [])
    .toSorted()
    .at(-1);
  const known = answers
    .flatMap(({ items }) => items)
    .filter(({ position }) => horizon === undefined || position >= horizon)
    .toSorted((a, b) => (a.position < b.position ? 1 : -1));
  const items = known.slice(0, limit);
  const next = known.length > limit ? items.at(-1)?.position : horizon;
  return {
    items: items.map(({ item }) => item),
    ...(next !== undefined && { next }),
    ...(missing.length > 0 && { missing }),
  };
}

/** A page of the deliveries of a tenant in all shards. @throws Error if no shard answers */
export const listDeliveries = (queues: Queues, ...[tenant, query, page]: Tail<typeof deliveriesOf>) =>
  merge(queues, page.limit, (shard) => deliveriesOf(shard, tenant, query, page));

/** A page of the ledger of a tenant in all shards. @throws Error if no shard answers */
export const listEffects = (queues: Queues, ...[tenant, query, page]: Tail<typeof effectsOf>) =>
  merge(queues, page.limit, (shard) => effectsOf(shard, tenant, query, page));

type Tail<F extends (queues: Queues, ...rest: never[]) => unknown> = F extends (
  queues: Queues,
  ...rest: infer Rest
) => unknown
  ? Rest
  : never;
