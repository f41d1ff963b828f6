import { join } from 'node:path';
import type { Queues } from '../redis/connect.js';
import type { KeyList } from '../redis/key-list.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf, type Keys } from '../redis/names.js';
import type { InvocationRecord } from '../state/record.js';
import { agentsOf, conversationKeys, conversationPrefixes, sessionKey, type Conversation } from './conversation.js';

/**
 * The turns of a conversation run in the order of acceptance. `enqueue.lua` gives each a place: the number of its change, which for a delayed
 * turn is later by its delay. A turn that another turn called has a place, too, but does not wait: its caller waits for it.
 */
export const CALLED_MARK = 'called ';

const JOIN_ORDER = loadScript<null>(join(__dirname, 'join-order.lua'));
const FIND_PREDECESSOR = loadScript<string | null>(join(__dirname, 'find-predecessor.lua'));

/**
 * The turn of this conversation that must end before this turn may begin: the last open one that was accepted before it. Undefined for a turn
 * that another turn called. One command; ended turns leave the order on the way.
 */
export async function findPredecessor(
  { redis }: Queues,
  conversation: Conversation,
  turnId: string,
): Promise<string | undefined> {
  const keys = keysOf(redis);
  const { turns } = conversationKeys(keys, conversation);
  const args = [turnId, keys.job('invocations', ''), CALLED_MARK];
  return (await FIND_PREDECESSOR.run(redis, [turns], args)) ?? undefined;
}

/** Gives a turn the last place in the order, unless it has one. One command. */
export async function joinOrder(queues: Queues, conversation: Conversation, turnId: string): Promise<void> {
  const keys = keysOf(queues.redis);
  const { turns } = conversationKeys(keys, conversation);
  await JOIN_ORDER.run(queues.redis, [turns, keys.changeClock], [turnId, queues.sessions.ageSeconds]);
}

/** The part of the plan of `enqueue.lua` that gives an invocation its places, one for each agent that it calls. Keys are numbers. */
export function planTurns(keys: Keys, id: string, record: InvocationRecord, list: KeyList): object[] | undefined {
  const { tenant, session, parentTurn, awaits } = record;
  const agents = agentsOf(record);
  // A turn that waits for a background call takes its place when the call has ended.
  if (session === undefined || agents.length === 0 || awaits !== undefined) return undefined;
  const member = parentTurn ? `${CALLED_MARK}${id}` : id;
  return agents.map((agent) => ({
    turns: list.numberOf(conversationKeys(keys, { tenant, session, agent }).turns),
    session: list.numberOf(sessionKey(keys, { tenant, session })),
    name: session,
    prefixes: conversationPrefixes(keys, { tenant, session }),
    agent,
    member,
  }));
}
