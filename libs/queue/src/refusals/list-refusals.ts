import type { Refusal } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { recoveriesOf } from './find-recoveries.js';
import { timeOfRefusal, type NewRefusal } from './store-refusals.js';
import { walkHeads, type RefusalQuery } from './walk-heads.js';

/** A page of refusals, newest first, and the id behind which the next page begins. */
export interface RefusalPage {
  items: Refusal[];
  next?: string;
  /** The shards that did not answer. Recoveries in them are missing. */
  missing?: string[];
}

/** Which part of a list is read, and for how many seconds recoveries are kept. */
interface RefusalPageRequest {
  limit: number;
  /** The id behind which the page begins. */
  after?: string | undefined;
  ageSeconds: number;
}

/** Lists the refusals of a tenant, newest first. The cost is bounded by the number of refusals that are kept: filters look at their heads. */
export async function listRefusals(
  queues: Queues,
  tenant: string,
  query: RefusalQuery,
  { limit, after, ageSeconds }: RefusalPageRequest,
): Promise<RefusalPage> {
  const ids: string[] = [];
  let hasMore = false;
  for await (const { id } of walkHeads(queues, tenant, query, after)) {
    hasMore = ids.length === limit;
    if (hasMore) break;
    ids.push(id);
  }
  const next = hasMore ? ids.at(-1) : undefined;
  return { ...(await readAll(queues, tenant, ids, ageSeconds)), ...(next !== undefined && { next }) };
}

/** A refusal of a tenant; undefined if there is none with this id. */
export async function readRefusal(
  queues: Queues,
  tenant: string,
  id: string,
  ageSeconds: number,
): Promise<Refusal | undefined> {
  const { items } = await readAll(queues, tenant, [id], ageSeconds);
  return items[0];
}

/** Those of these refusals that are kept and not too old, in this order. */
async function readAll(
  queues: Queues,
  tenant: string,
  ids: readonly string[],
  ageSeconds: number,
): Promise<Pick<RefusalPage, 'items' | 'missing'>> {
  const oldest = Date.now() - ageSeconds * 1_000;
  const young = ids.filter((id) => timeOfRefusal(id) >= oldest);
  if (young.length === 0) return { items: [] };
  const texts = await queues.redis.hmget(keysOf(queues.redis).refusalTexts(tenant), ...young);
  const refusals = texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as NewRefusal['refusal']]));
  const { recoveredBy, missing } = await recoveriesOf(queues, tenant, refusals, ageSeconds);
  return {
    items: refusals.map((refusal) => ({ ...refusal, recoveredBy: recoveredBy.get(refusal.id) ?? null })),
    ...(missing.length > 0 && { missing }),
  };
}
