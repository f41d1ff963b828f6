import type { Refusal } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { recoveriesOf } from './find-recoveries.js';
import type { NewRefusal } from './store-refusals.js';
import { walkHeads, youngOf, type KeptHead, type RefusalQuery } from './walk-heads.js';

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
  const heads: KeptHead[] = [];
  let hasMore = false;
  for await (const head of walkHeads(queues, tenant, youngOf(query, ageSeconds), after)) {
    hasMore = heads.length === limit;
    if (hasMore) break;
    heads.push(head);
  }
  const next = hasMore ? heads.at(-1)?.id : undefined;
  return { ...(await readAll(queues, tenant, heads, ageSeconds)), ...(next !== undefined && { next }) };
}

/** A refusal of a tenant; undefined if there is none with this id. */
export async function readRefusal(
  queues: Queues,
  tenant: string,
  id: string,
  ageSeconds: number,
): Promise<Refusal | undefined> {
  const { value } = await walkHeads(queues, tenant, youngOf({}, ageSeconds), `${id}~`).next();
  if (value?.id !== id) return undefined;
  const { items } = await readAll(queues, tenant, [value], ageSeconds);
  return items[0];
}

/** The refusals with these heads that are still kept, in this order. */
async function readAll(
  queues: Queues,
  tenant: string,
  heads: readonly KeptHead[],
  ageSeconds: number,
): Promise<Pick<RefusalPage, 'items' | 'missing'>> {
  if (heads.length === 0) return { items: [] };
  const names = [...new Set(heads.map(({ batch }) => batch))];
  const texts = await queues.redis.hmget(keysOf(queues.redis).refusalTexts(tenant), ...names);
  const linesOf = new Map(names.map((name, n) => [name, texts[n]?.split('\n') ?? []]));
  const kept = heads.filter(({ batch, line }) => linesOf.get(batch)?.[line] !== undefined);
  const refusals = kept.map(({ batch, line }) => JSON.parse(linesOf.get(batch)?.[line] ?? '') as NewRefusal['refusal']);
  const { recoveredBy, missing } = await recoveriesOf(queues, tenant, kept, ageSeconds);
  return {
    items: refusals.map((refusal) => ({ ...refusal, recoveredBy: recoveredBy.get(refusal.id) ?? null })),
    ...(missing.length > 0 && { missing }),
  };
}
