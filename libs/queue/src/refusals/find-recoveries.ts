import { join } from 'node:path';
import { timePrefix } from '@errand/contracts';
import { loadScript } from '../redis/lua-script.js';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { askAll } from '../shards/ask-all.js';
import { idOf, indexFieldKeys } from '../state/search-index.js';
import { timeOfRefusal } from './store-refusals.js';
import { walkHeads, type KeptHead } from './walk-heads.js';

const FIRST_CALLS = loadScript<string[]>(join(__dirname, 'first-calls.lua'));
const STORE = loadScript<null>(join(__dirname, 'store-recoveries.lua'));

/** The time in which an invocation can recover from a refusal. */
const RECOVERY_MS = 600_000;
/** A refusal may be stored so much later than its time. */
const SPARE_MS = 60_000;
/** The most searches of one script. Redis does nothing else meanwhile. */
const SEARCHES = 50;
/** The most invocations that one search looks at: those of the session, or those of the tool if they are fewer. */
const MOST_LOOKED = 1_000;

/** What a recovery needs of a refusal. */
type Refused = Pick<KeptHead, 'id' | 'session' | 'toolIds' | 'batch'>;

/** The invocations that recovered, by the ids of their refusals. */
export interface Recoveries {
  recoveredBy: Map<string, string>;
  /** The shards that did not answer. Recoveries in them are missing. */
  missing: string[];
}

/**
 * Finds the first invocation of the same session that called the same tool within ten minutes, for each of these refusals. The index of
 * invocations has it, so that an acceptance writes nothing for it. The recovery is stored, and stays known after the invocation is removed.
 */
export async function recoveriesOf(
  queues: Queues,
  tenant: string,
  refusals: readonly Refused[],
  ageSeconds: number,
): Promise<Recoveries> {
  if (refusals.length === 0) return { recoveredBy: new Map(), missing: [] };
  const keys = keysOf(queues.redis);
  const [known, settled] = await Promise.all([
    queues.redis.hmget(keys.refusalRecoveries(tenant), ...refusals.map(({ id }) => id)),
    queues.redis.get(keys.refusalsSettled(tenant)),
  ]);
  const recoveredBy = new Map<string, string>();
  const open: Refused[] = [];
  for (const [n, refusal] of refusals.entries()) {
    const invocation = known[n];
    if (invocation) recoveredBy.set(refusal.id, invocation);
    else if (timeOfRefusal(refusal.id) >= Number(settled)) open.push(refusal);
  }
  const { found, missing } = await search(queues, tenant, open);
  if (found.size > 0) await store(queues, tenant, found, { ageSeconds });
  for (const [{ id }, invocation] of found) recoveredBy.set(id, invocation);
  return { recoveredBy, missing };
}

/** Finds the recoveries from all refusals of a tenant whose ten minutes were not over at the last call. @returns the shards that did not answer */
export async function settleRefusals(queues: Queues, tenant: string, ageSeconds: number): Promise<string[]> {
  const keys = keysOf(queues.redis);
  const until = Date.now() - RECOVERY_MS - SPARE_MS;
  const from = Number(await queues.redis.get(keys.refusalsSettled(tenant)));
  const missing = new Set<string>();
  let heads: KeptHead[] = [];
  let isEmpty = true;
  const look = async () => {
    const found = await recoveriesOf(queues, tenant, heads, ageSeconds);
    for (const shard of found.missing) missing.add(shard);
    heads = [];
  };
  for await (const head of walkHeads(queues, tenant, { from })) {
    isEmpty = false;
    if (heads.push(head) === SEARCHES) await look();
  }
  await look();
  if (!isEmpty && missing.size === 0) await store(queues, tenant, new Map(), { ageSeconds, until });
  return [...missing];
}

/** The first one of all shards. While a shard is missing, nothing is certain and nothing is found. */
async function search(
  queues: Queues,
  tenant: string,
  refusals: readonly Refused[],
): Promise<{ found: Map<Refused, string>; missing: string[] }> {
  const found = new Map<Refused, string>();
  const sought = refusals.filter(({ session, toolIds }) => session !== null && toolIds.length > 0);
  for (let n = 0; n < sought.length; n += SEARCHES) {
    const some = sought.slice(n, n + SEARCHES);
    const { answers, missing } = await askAll(queues.shards?.all ?? [queues], (shard) => inShard(shard, tenant, some));
    if (missing.length > 0) return { found, missing };
    for (const [at, refusal] of some.entries()) {
      const [first] = answers.flatMap((members) => members[at] || []).toSorted();
      if (first !== undefined) found.set(refusal, idOf(first));
    }
  }
  return { found, missing: [] };
}

function inShard({ redis }: Queues, tenant: string, refusals: readonly Refused[]): Promise<string[]> {
  const keys = keysOf(redis);
  const names = refusals.flatMap(({ session, toolIds }) => [
    ...indexFieldKeys(keys, tenant, { session: session ?? '' }),
    ...toolIds.flatMap((toolId) => indexFieldKeys(keys, tenant, { toolId })),
  ]);
  const ranges = refusals.flatMap(({ id, toolIds }) => {
    const at = timeOfRefusal(id);
    return [toolIds.length, `[${timePrefix(at)}`, `(${timePrefix(at + RECOVERY_MS + 1)}`];
  });
  return FIRST_CALLS.run(redis, names, [MOST_LOOKED, ...ranges]);
}

async function store(
  { redis }: Queues,
  tenant: string,
  found: ReadonlyMap<Refused, string>,
  { ageSeconds, until }: { ageSeconds: number; until?: number },
): Promise<void> {
  const keys = keysOf(redis);
  const names = [keys.refusalRecoveries(tenant), keys.refusalsSettled(tenant), keys.refusals(tenant)];
  const recoveries = [...found].flatMap(([{ id, batch }, invocation]) => [id, batch, invocation]);
  await STORE.run(redis, names, [ageSeconds, until ?? '', ...recoveries]);
}
