import type { Queues } from '../redis/connect.js';
import { walkHeads, type KeptHead } from './walk-heads.js';

const PREFIX = 'ref_';
/** The characters of an id. Another one cannot be in an id, so nothing is looked for. */
const PART_OF_ID = /^\w*$/;

/** The newest refusals of a tenant whose ids begin with a text. A beginning of `ref_` fits all. */
export async function findRefusals(queues: Queues, tenant: string, text: string, limit: number): Promise<KeptHead[]> {
  if (!PART_OF_ID.test(text) || !(text.startsWith(PREFIX) || PREFIX.startsWith(text))) return [];
  const begin = text.length < PREFIX.length ? PREFIX : text;
  const found: KeptHead[] = [];
  for await (const head of walkHeads(queues, tenant, {}, `${begin}~`)) {
    if (!head.id.startsWith(begin) || found.push(head) === limit) break;
  }
  return found;
}

/** The newest refusals of a tenant, and before them the newest one of a session. */
export async function newestRefusals(
  queues: Queues,
  tenant: string,
  { session, limit }: { session: string; limit: number },
): Promise<KeptHead[]> {
  const [newest, own] = await Promise.all([
    findRefusals(queues, tenant, PREFIX, limit),
    walkHeads(queues, tenant, { session }).next(),
  ]);
  return [...(own.done ? [] : [own.value]), ...newest];
}
