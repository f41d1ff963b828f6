import { isFinal, STATUSES, type Status } from '@errand/contracts';
import {
  countMatches,
  listDeliveries,
  listInvocations,
  readDeliveries,
  type InvocationQuery,
  type Queues,
} from '@errand/queue';
import { ProblemError } from '../http/problem-error.js';
import type { AskedPlan } from './read-bulk-request.js';

/** A part of the invocations of a bulk action, and where the next part begins. Without `next`, it is the last one. */
interface MatchedPart {
  matches: { id: string; status: Status }[];
  next?: string;
}

/** The most invocations of one bulk action. */
const MOST_MATCHED = 1_000_000;
const IDS_AT_ONCE = 100;
const OPEN = STATUSES.filter((status) => !isFinal(status));

/**
 * The next invocations that a bulk action touches, about `limit` of them. A part can be empty although more follow.
 * @throws ProblemError unavailable if a shard does not answer: its invocations would be left out
 */
export async function nextMatches(
  queues: Queues,
  tenant: string,
  plan: AskedPlan,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<MatchedPart> {
  const { sought, ids, action } = plan;
  if (sought.statuses?.length === 0) return { matches: [] };
  const { candidates, next } = ids
    ? namedPart(ids, limit, after)
    : action === 'redeliver'
      ? await undelivered(queues, tenant, sought, { limit, after })
      : { candidates: undefined, next: undefined };
  if (candidates === undefined) return listPart(queues, tenant, sought, { limit, after });
  const wanted = action === 'redeliver' && ids ? await onlyUndelivered(queues, tenant, candidates) : candidates;
  const found =
    wanted.length === 0
      ? { matches: [] }
      : await listPart(queues, tenant, { ...sought, ids: wanted }, { limit: wanted.length });
  return { matches: found.matches, ...(next !== undefined && { next }) };
}

/** How many invocations a bulk action touches, by status. @throws ProblemError if too many match; any error of Redis */
export async function countBulk(
  queues: Queues,
  tenant: string,
  plan: AskedPlan,
): Promise<{ matched: number; byStatus: { [status in Status]?: number } }> {
  const { sought, ids, action } = plan;
  const byStatus: { [status in Status]?: number } = {};
  if (action === 'redeliver' || ids) {
    let after: string | undefined;
    do {
      const part = await nextMatches(queues, tenant, plan, { limit: IDS_AT_ONCE, after });
      for (const { status } of part.matches) byStatus[status] = (byStatus[status] ?? 0) + 1;
      after = part.next;
    } while (after !== undefined);
  } else {
    Object.assign(byStatus, await countByStatus(queues, tenant, sought));
  }
  const matched = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
  if (matched > MOST_MATCHED)
    throw new ProblemError('invalid_request', `More than ${MOST_MATCHED} invocations match; narrow the filter`);
  return { matched, byStatus };
}

/**
 * The number of matches of each status. An index set of its own has every status but `queued`, whose invocations are found by reading their
 * jobs: if all open ones are wanted, the others are subtracted from the sum instead.
 */
async function countByStatus(
  queues: Queues,
  tenant: string,
  sought: InvocationQuery,
): Promise<{ [status in Status]?: number }> {
  const statuses = sought.statuses ?? [];
  const count = (...wanted: Status[]) => countMatches(queues, tenant, { ...sought, statuses: wanted }, MOST_MATCHED);
  const isWhole = OPEN.every((status) => statuses.includes(status));
  const single = statuses.filter((status) => !isWhole || status !== 'queued');
  const [counts, open] = await Promise.all([
    Promise.all(single.map(async (status): Promise<[Status, number]> => [status, await count(status)])),
    isWhole ? count(...OPEN) : 0,
  ]);
  const others = counts.reduce((sum, [status, value]) => sum + (isFinal(status) ? 0 : value), 0);
  // Invocations can have begun between the counts.
  if (isWhole) counts.push(['queued', Math.max(0, open - others)]);
  return Object.fromEntries(counts.filter(([, value]) => value > 0));
}

function namedPart(ids: readonly string[], limit: number, after = '0') {
  const begin = Number(after);
  const end = begin + Math.min(limit, IDS_AT_ONCE);
  return { candidates: ids.slice(begin, end), next: end < ids.length ? String(end) : undefined };
}

/** Invocations whose last delivery has failed for good. */
async function undelivered(
  queues: Queues,
  tenant: string,
  { from }: InvocationQuery,
  page: { limit: number; after?: string | undefined },
) {
  const query = { status: 'failed' as const, ...(from !== undefined && { from }) };
  const { items, next, missing } = await listDeliveries(queues, tenant, query, page);
  if (missing) throw away();
  return { candidates: [...new Set(items.map(({ invocationId }) => invocationId))], next };
}

async function onlyUndelivered(queues: Queues, tenant: string, ids: readonly string[]): Promise<string[]> {
  const owned = await listInvocations(queues, tenant, { ids }, { limit: ids.length });
  const last = await Promise.all(
    owned.items.map(async ({ id }) => ({ id, delivery: (await readDeliveries(queues, id)).at(-1) })),
  );
  return last.flatMap(({ id, delivery }) => (delivery?.status === 'failed' ? [id] : []));
}

async function listPart(
  queues: Queues,
  tenant: string,
  sought: InvocationQuery,
  page: { limit: number; after?: string | undefined },
): Promise<MatchedPart> {
  const { items, next, missing } = await listInvocations(queues, tenant, sought, page);
  if (missing) throw away();
  return { matches: items.map(({ id, status }) => ({ id, status })), ...(next !== undefined && { next }) };
}

function away(): ProblemError {
  return new ProblemError('unavailable', 'A shard of Redis is away, and its invocations cannot be found; try again');
}
