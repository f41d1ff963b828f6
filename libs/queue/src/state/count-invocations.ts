import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { addMissingChanges } from './add-missing-changes.js';
import { planWalk, type InvocationQuery, type Walk } from './plan-walk.js';
import { changedKey } from './search-index.js';
import { walkOn } from './walk-invocations.js';

/** How many invocations match. If it is not exact, more than `value` match, or more can match. */
export interface InvocationCount {
  value: number;
  exact: boolean;
}

/** The highest value of a count. */
export const MAX_COUNTED = 10_000;
/** The most invocations that one count looks at, and that one command looks at. Redis runs other commands between two. */
const MAX_LOOKED = 100_000;
const LOOKED_AT_ONCE = 5_000;

/**
 * Counts the invocations of a query, up to 10,000. A query with one condition costs the logarithm of the number of invocations. Any other
 * query looks at 100,000 of them at most.
 */
export function countInvocations(queues: Queues, tenant: string, query: InvocationQuery): Promise<InvocationCount> {
  return countUpTo(queues, tenant, query, { counted: MAX_COUNTED, looked: MAX_LOOKED });
}

/** The highest value of a count, and the most invocations that it looks at. */
interface CountBounds {
  counted: number;
  looked: number;
}

/** Counts the invocations of a query within these bounds. */
export async function countUpTo(
  queues: Queues,
  tenant: string,
  query: InvocationQuery,
  bounds: CountBounds,
): Promise<InvocationCount> {
  if (query.updatedAfter !== undefined) await addMissingChanges(queues, tenant);
  const walk = await planWalk(queues, tenant, query);
  if (!walk) return { value: 0, exact: true };
  const size = await sizeOf(queues, tenant, walk);
  if (size !== undefined) return { value: Math.min(size, bounds.counted), exact: size <= bounds.counted };
  let [value, left, position]: [number, number, string | undefined] = [0, bounds.looked, undefined];
  while (left > 0) {
    const part = { wanted: bounds.counted + 1 - value, most: Math.min(LOOKED_AT_ONCE, left), counts: true };
    const { count, looked, last, isEnd } = await walkOn(queues, walk, position, part);
    value += count;
    if (value > bounds.counted) return { value: bounds.counted, exact: false };
    if (isEnd) return { value, exact: true };
    left -= looked;
    position = last;
  }
  return { value, exact: false };
}

/** The size of the walked sets, if each of their members between the bounds matches. */
async function sizeOf({ redis }: Queues, tenant: string, walk: Walk): Promise<number | undefined> {
  const { plan, keys: names, firstChange } = walk;
  const { lower, upper, sets } = plan;
  const short = [plan.members, plan.gather, plan.active, plan.ended].some((source) => source.length > 0);
  if (short || plan.isShort || plan.all.length + plan.any.length > 0 || plan.open || plan.finished || plan.error)
    return undefined;
  if (firstChange === undefined) {
    const sizes = await Promise.all(sets.map((set) => redis.zlexcount(names[set - 1] ?? '', lower, upper)));
    return sizes.reduce((sum, size) => sum + size, 0);
  }
  return lower === '-' && upper === '+'
    ? redis.zcount(changedKey(keysOf(redis), tenant), firstChange, '+inf')
    : undefined;
}
