import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { readHead, type RefusalHead } from './store-refusals.js';
import { walkHeads } from './walk-heads.js';

const PREFIX = 'ref_';
/** The characters of an id. Another one cannot be in an id, so nothing is looked for. */
const PART_OF_ID = /^\w*$/;

/** The newest refusals of a tenant whose ids begin with a text. A beginning of `ref_` fits all. */
export async function findRefusals(
  { redis }: Queues,
  tenant: string,
  text: string,
  limit: number,
): Promise<RefusalHead[]> {
  if (!PART_OF_ID.test(text) || !(text.startsWith(PREFIX) || PREFIX.startsWith(text))) return [];
  const key = keysOf(redis).refusals(tenant);
  const members = await redis.zrevrangebylex(key, `[${text}~`, `[${text}`, 'LIMIT', 0, limit);
  return members.map(readHead);
}

/** The newest refusals of a tenant, and before them the newest one of a session. */
export async function newestRefusals(
  queues: Queues,
  tenant: string,
  { session, limit }: { session: string; limit: number },
): Promise<RefusalHead[]> {
  const { redis } = queues;
  const [members, own] = await Promise.all([
    redis.zrevrangebylex(keysOf(redis).refusals(tenant), '+', '-', 'LIMIT', 0, limit),
    walkHeads(queues, tenant, { session }).next(),
  ]);
  return [...(own.done ? [] : [own.value]), ...members.map(readHead)];
}
