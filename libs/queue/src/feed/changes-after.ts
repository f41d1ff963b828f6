import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { listInvocations, type ListedInvocation } from '../state/list-invocations.js';
import { changedKey, idOf, memberOf } from '../state/search-index.js';

/** An invocation and the number of its last change. Numbers grow with time, separately in each keyspace. */
export interface NumberedChange {
  id: string;
  number: number;
}

/** The number of the newest change of a tenant in one keyspace; 0 without any. One command. */
export async function newestChange({ redis }: Queues, tenant: string): Promise<number> {
  const [, number] = await redis.zrange(
    changedKey(keysOf(redis), tenant),
    '+inf',
    '-inf',
    'BYSCORE',
    'REV',
    'LIMIT',
    0,
    1,
    'WITHSCORES',
  );
  return Number(number ?? 0);
}

/** The number of changes of a tenant behind a number, in one keyspace. One command. */
export function countChangesAfter({ redis }: Queues, tenant: string, after: number): Promise<number> {
  return redis.zcount(changedKey(keysOf(redis), tenant), `(${after}`, '+inf');
}

/** At most `most` changes of a tenant behind a number, oldest first, in one keyspace. One command. */
export async function changesAfter(
  { redis }: Queues,
  tenant: string,
  after: number,
  most: number,
): Promise<NumberedChange[]> {
  const key = changedKey(keysOf(redis), tenant);
  return toChanges(await redis.zrange(key, `(${after}`, '+inf', 'BYSCORE', 'LIMIT', 0, most, 'WITHSCORES'));
}

/** The newest `most` changes of a tenant, oldest first, in one keyspace. One command. */
export async function newestChanges({ redis }: Queues, tenant: string, most: number): Promise<NumberedChange[]> {
  const key = changedKey(keysOf(redis), tenant);
  const newest = await redis.zrange(key, '+inf', '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, most, 'WITHSCORES');
  return toChanges(newest).toReversed();
}

function toChanges(scored: readonly string[]): NumberedChange[] {
  const changes: NumberedChange[] = [];
  for (let n = 0; n + 1 < scored.length; n += 2)
    changes.push({ id: idOf(scored[n] ?? ''), number: Number(scored[n + 1]) });
  return changes;
}

/** Those of these invocations that belong to the tenant. One command for each shard. */
export async function idsOfTenant(queues: Queues, tenant: string, ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    byShard(queues, ids).map(async ([{ redis }, some]) => {
      const numbers = await redis.zmscore(changedKey(keysOf(redis), tenant), ...some.map(memberOf));
      return some.filter((_, n) => numbers[n] !== null);
    }),
  );
  return found.flat();
}

/** These invocations of the tenant in their present state, by id. Unknown ones, and those of a shard that is away, are absent. */
export async function readListed(
  queues: Queues,
  tenant: string,
  ids: readonly string[],
): Promise<Map<string, ListedInvocation>> {
  const pages = await Promise.allSettled(
    byShard(queues, ids).map(([shard, some]) => listInvocations(shard, tenant, { ids: some }, { limit: some.length })),
  );
  const items = pages.flatMap((page) => (page.status === 'fulfilled' ? page.value.items : []));
  return new Map(items.map((item) => [item.id, item]));
}

function byShard(queues: Queues, ids: readonly string[]): [Queues, string[]][] {
  const shards = new Map<Queues, string[]>();
  for (const id of ids) {
    const shard = queues.shardOf(id);
    shards.set(shard, [...(shards.get(shard) ?? []), id]);
  }
  return [...shards];
}
