import type { Queues } from '../redis/connect.js';
import { listWaits as list, type WaitPage, type WaitPageRequest, type WaitQuery } from '../suspend/list-waits.js';
import { askAll } from './ask-all.js';

/**
 * A page of the waits of a tenant in all shards, in the order of one. A shard that does not answer is named.
 * @throws Error if no shard answers
 */
export async function listWaits(
  queues: Queues,
  tenant: string,
  query: WaitQuery,
  request: WaitPageRequest,
): Promise<WaitPage & { missing?: string[] }> {
  if (!queues.shards) return list(queues, tenant, query, request);
  const { answers, missing } = await askAll(queues.shards.all, (shard) => list(shard, tenant, query, request));
  return { ...mergeWaits(answers, request.limit), ...(missing.length > 0 && { missing }) };
}

/** Merges pages that begin at the same position. A page with an end is unknown behind it, so the merged one goes no further. */
export function mergeWaits(pages: readonly WaitPage[], limit: number): WaitPage {
  const horizon = pages.flatMap(({ next }) => next ?? []).toSorted()[0];
  const known = pages
    .flatMap(({ items }) => items)
    .filter(({ position }) => horizon === undefined || position <= horizon)
    .toSorted((a, b) => (a.position < b.position ? -1 : 1));
  const items = known.slice(0, limit);
  const next = known.length > limit ? items.at(-1)?.position : horizon;
  return { items, ...(next !== undefined && { next }) };
}
