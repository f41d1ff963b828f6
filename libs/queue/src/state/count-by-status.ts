import { isFinal, STATUSES, type Status } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { countUpTo } from './count-invocations.js';
import type { InvocationQuery } from './plan-walk.js';

/** How many invocations match, by status. An approximate number is a lower bound, and that of `queued` an estimate. */
export interface StatusCounts {
  counts: Record<Status, number>;
  approximate: boolean;
}

/** The most invocations that the count of one status looks at. Sizes of whole sets have no bound: they cost nothing to read. */
const BOUNDS = { counted: Number.MAX_SAFE_INTEGER, looked: 10_000 };
const OPEN = STATUSES.filter((status) => !isFinal(status));

/** Counts the invocations of a query by status. The cost does not grow with the number of invocations. */
export async function countByStatus(queues: Queues, tenant: string, query: InvocationQuery): Promise<StatusCounts> {
  const wanted = query.statuses ?? STATUSES;
  const count = (statuses: readonly Status[]) => countUpTo(queues, tenant, { ...query, statuses }, BOUNDS);
  const isWalked = (status: Status) => wanted.includes(status) || (wanted.includes('queued') && !isFinal(status));
  // Running and suspended invocations are in short sets. All others of the open ones are queued.
  const single = STATUSES.filter((status) => status !== 'queued' && isWalked(status));
  const [open, ...parts] = await Promise.all([
    wanted.includes('queued') ? count(OPEN) : undefined,
    ...single.map((status) => count([status])),
  ]);
  const counts = new Map(single.map((status, n) => [status, parts[n]?.value ?? 0]));
  const others = OPEN.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
  if (open) counts.set('queued', Math.max(0, open.value - others));
  return {
    counts: Object.fromEntries(
      STATUSES.map((status) => [status, wanted.includes(status) ? (counts.get(status) ?? 0) : 0]),
    ) as Record<Status, number>,
    approximate: [open, ...parts].some((part) => part?.exact === false),
  };
}
