import { timePrefix, type Refusal } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { readHead, type RefusalHead } from './store-refusals.js';

/** How many heads one command reads. */
const CHUNK = 500;

/** Which refusals are sought. Times in ms. */
export interface RefusalQuery {
  code?: string | undefined;
  toolId?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
  from?: number | undefined;
  /** Exclusive. */
  to?: number | undefined;
}

/** A page of refusals, newest first, and the id behind which the next page begins. */
export interface RefusalPage {
  items: Refusal[];
  next?: string;
}

/**
 * Lists the refusals of a tenant, newest first. The cost is bounded by the number of refusals that are kept: filters look at their heads.
 * @param after the id behind which the page begins
 */
export async function listRefusals(
  queues: Queues,
  tenant: string,
  query: RefusalQuery,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<RefusalPage> {
  const ids: string[] = [];
  for await (const { id } of walkHeads(queues, tenant, query, after)) {
    if (ids.length === limit) return { items: await readAll(queues, tenant, ids), next: ids.at(-1) ?? id };
    ids.push(id);
  }
  return { items: await readAll(queues, tenant, ids) };
}

/** A refusal of a tenant; undefined if there is none with this id. */
export async function readRefusal(queues: Queues, tenant: string, id: string): Promise<Refusal | undefined> {
  const [found] = await readAll(queues, tenant, [id]);
  return found;
}

/** The heads of the refusals that a query finds, newest first. */
export async function* walkHeads(
  { redis }: Queues,
  tenant: string,
  query: RefusalQuery,
  after?: string,
): AsyncGenerator<RefusalHead> {
  const key = keysOf(redis).refusals(tenant);
  const lowest = query.from === undefined ? '-' : `[ref_${timePrefix(query.from)}`;
  const end = query.to === undefined ? '+' : `(ref_${timePrefix(query.to)}`;
  let highest = after !== undefined && (end === '+' || `(${after}` < end) ? `(${after}` : end;
  for (;;) {
    const members = await redis.zrevrangebylex(key, highest, lowest, 'LIMIT', 0, CHUNK);
    for (const member of members) {
      const head = readHead(member);
      if (matches(head, query)) yield head;
    }
    const last = members.at(-1);
    if (last === undefined || members.length < CHUNK) return;
    highest = `(${last}`;
  }
}

function matches(head: RefusalHead, { code, toolId, agent, session }: RefusalQuery): boolean {
  return (
    (code === undefined || head.code === code) &&
    (toolId === undefined || head.toolIds.includes(toolId)) &&
    (agent === undefined || head.agent === agent) &&
    (session === undefined || head.session === session)
  );
}

/** Those of these refusals that have not expired, in this order. One round trip. */
async function readAll({ redis }: Queues, tenant: string, ids: readonly string[]): Promise<Refusal[]> {
  if (ids.length === 0) return [];
  const keys = keysOf(redis);
  const [texts, recovered] = await Promise.all([
    redis.mget(ids.map((id) => keys.refusal(tenant, id))),
    redis.hmget(keys.refusalRecoveries(tenant), ...ids),
  ]);
  return texts.flatMap((text, n) => {
    if (text === null) return [];
    const refusal = JSON.parse(text) as Omit<Refusal, 'recoveredBy'>;
    return [{ ...refusal, recoveredBy: recovered[n] ?? null }];
  });
}
