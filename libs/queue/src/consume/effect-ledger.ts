import { createHash } from 'node:crypto';
import type { EffectEntry, JsonObject } from '@errand/contracts';
import type { KeyedPage } from '../callbacks/list-deliveries.js';
import type { Queues } from '../redis/connect.js';
import { keysOf, type Keys } from '../redis/names.js';

/** An entry without the status of its step, which is in the shard of its invocation. */
export type StoredEffect = Omit<EffectEntry, 'status'>;

/** The conditions of a list of effects. */
export interface EffectQuery {
  session?: string;
  toolId?: string;
}

/** Longer arguments are not kept a second time: the step of the effect has them. */
const MAX_CHARACTERS = 8_192;
const REPEAT = 'repeat:';
/** The highest number of entries that are looked at for one page, and at the same time. */
const MAX_LOOKED = 1_000;
const AT_ONCE = 200;

/** The sets in which an effect is found. */
export function ledgerSets(keys: Keys, tenant: string, { session, toolId }: Required<EffectQuery>): string[] {
  return [undefined, { session }, { toolId }].map((query) => ledgerSet(keys, tenant, query ?? {}));
}

/** The arguments as an entry has them. */
export function ledgerArguments(args: JsonObject): string {
  const text = JSON.stringify(args);
  return text.length <= MAX_CHARACTERS ? text : '';
}

/** The smallest set with all effects of a query. */
function ledgerSet(keys: Keys, tenant: string, { session, toolId }: EffectQuery): string {
  if (session !== undefined) return keys.effects(tenant, `session:${digest(session)}`);
  return keys.effects(tenant, toolId === undefined ? 'all' : `tool:${digest(toolId)}`);
}

/** A page of the ledger of a tenant, newest first. A page can have fewer items than `limit` although more follow. */
export async function listEffects(
  queues: Queues,
  tenant: string,
  query: EffectQuery,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<KeyedPage<StoredEffect>> {
  const { redis } = queues;
  const set = ledgerSet(keysOf(redis), tenant, query);
  const items: KeyedPage<StoredEffect>['items'] = [];
  let position = after;
  for (let looked = 0; looked < MAX_LOOKED; looked += AT_ONCE) {
    const members = await membersAfter(queues, set, position);
    const found = await Promise.all(members.map(({ member }) => readEntry(queues, tenant, member)));
    const gone = members.filter((_, n) => found[n] === undefined).map(({ member }) => member);
    if (gone.length > 0) await redis.zrem(set, ...gone);
    for (const [n, entry] of members.entries()) {
      const item = found[n];
      if (item && (query.toolId === undefined || item.toolId === query.toolId)) {
        if (items.length === limit) return { items, next: items.at(-1)?.position ?? entry.position };
        items.push({ position: entry.position, item });
      }
      ({ position } = entry);
    }
    if (members.length < AT_ONCE) return { items };
  }
  return { items, ...(position !== undefined && { next: position }) };
}

interface Member {
  member: string;
  /** The time with leading zeros, and the member: positions sort as the set does. */
  position: string;
}

async function membersAfter({ redis }: Queues, set: string, after: string | undefined): Promise<Member[]> {
  const upper = after === undefined ? '+inf' : String(Number(after.split(':', 1)[0]));
  // Effects of the same millisecond as the position were seen in part.
  const read = await redis.zrevrangebyscore(set, upper, '-inf', 'WITHSCORES', 'LIMIT', 0, 2 * AT_ONCE);
  const members: Member[] = [];
  for (let n = 0; n + 1 < read.length; n += 2) {
    const member = read[n] ?? '';
    members.push({ member, position: `${(read[n + 1] ?? '').padStart(15, '0')}:${member}` });
  }
  return members.filter(({ position }) => after === undefined || position < after).slice(0, AT_ONCE);
}

async function readEntry({ redis }: Queues, tenant: string, member: string): Promise<StoredEffect | undefined> {
  const fields = new Map(Object.entries(await redis.hgetall(keysOf(redis).effectEntry(tenant, member))));
  const owner = fields.get('owner');
  if (owner === undefined) return undefined;
  const text = fields.get('arguments') ?? '';
  const repeats = [...fields]
    .filter(([name]) => name.startsWith(REPEAT))
    .map(([name, at]) => ({ ...stepOf(name.slice(REPEAT.length)), at: isoTime(at) }))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  return {
    session: fields.get('session') ?? '',
    toolId: fields.get('toolId') ?? '',
    arguments: text === '' ? null : (JSON.parse(text) as JsonObject),
    ...stepOf(owner),
    at: isoTime(fields.get('at') ?? '0'),
    repeats,
  };
}

function stepOf(text: string): { invocationId: string; step: number } {
  const [invocationId = '', step] = text.split(' ');
  return { invocationId, step: Number(step) };
}

function isoTime(ms: string): string {
  return new Date(Number(ms)).toISOString();
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
