import type { Queues } from '../redis/connect.js';
import { planWalk, type InvocationQuery } from '../state/plan-walk.js';
import { walkOn } from '../state/walk-invocations.js';

/** The most that one command looks at. Redis runs other commands between two. */
const LOOKED_AT_ONCE = 5_000;

/**
 * The exact number of invocations of a query in all shards. The cost is that of a look at each candidate.
 * @param most the count ends above this number
 * @throws Error if a shard does not answer: the number would be too low
 */
export async function countMatches(
  queues: Queues,
  tenant: string,
  query: InvocationQuery,
  most: number,
): Promise<number> {
  let sum = 0;
  for (const shard of queues.shards?.all ?? [queues]) sum += await countIn(shard, tenant, query, most - sum);
  return sum;
}

async function countIn(queues: Queues, tenant: string, query: InvocationQuery, most: number): Promise<number> {
  const walk = await planWalk(queues, tenant, query);
  if (!walk) return 0;
  let value = 0;
  for (let position: string | undefined; value <= most;) {
    const part = await walkOn(queues, walk, position, { wanted: LOOKED_AT_ONCE, most: LOOKED_AT_ONCE, counts: true });
    value += part.count;
    if (part.isEnd) break;
    position = part.last ?? position;
  }
  return value;
}
