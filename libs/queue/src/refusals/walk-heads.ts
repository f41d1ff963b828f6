import { timePrefix } from '@errand/contracts';
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
  // Most heads are left out by this before they are read.
  const written = query.session === undefined ? '' : JSON.stringify(query.session);
  let highest = after !== undefined && (end === '+' || `(${after}` < end) ? `(${after}` : end;
  for (;;) {
    const members = await redis.zrevrangebylex(key, highest, lowest, 'LIMIT', 0, CHUNK);
    for (const member of members) {
      if (!member.includes(written)) continue;
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
