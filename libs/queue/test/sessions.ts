import type { SessionMessage } from '@errand/contracts';
import { TurnWriter, type Conversation, type InvocationRecord, type Queues, type TurnAttempt } from '../src/index.js';
import { conversationKeys, sessionKey } from '../src/sessions/conversation.js';
import { recordOf } from './use-queues.js';
import { keys } from '../src/redis/names.js';

export const MAIN: Conversation = { tenant: 'default', session: 'kitchen: a/b', agent: 'ada' };

/** The record of a turn of an agent. */
export function turnOf(
  { tenant, session, agent }: Conversation,
  over: Partial<InvocationRecord> = {},
): InvocationRecord {
  return recordOf({ tenant, session, ...over }, { toolId: `agent:${agent}`, kind: 'agent' });
}

/** Makes the next attempt of a stored turn the current one, as a worker does that takes its job. */
export async function beginAttempt(queues: Queues, id: string, conversation: Conversation): Promise<TurnAttempt> {
  const { redis, keyspace } = queues.shardOf(id);
  const attempt = await redis.hincrby(`${keyspace}:invocations:${id}`, 'ats', 1);
  return { id, attempt, conversation };
}

export function messageOf(id: string, over: Partial<SessionMessage> = {}): SessionMessage {
  const usual = { role: 'user', content: `content of ${id}`, invocationId: 'inv_1', round: null } as const;
  return { id, ...usual, at: '2026-01-01T00:00:00.000Z', ...over };
}

/** Appends messages in steps of 500. */
export async function appendMessages(
  queues: Queues,
  turn: TurnAttempt,
  messages: readonly SessionMessage[],
): Promise<void> {
  const writer = new TurnWriter(queues, turn);
  for (let n = 0; n < messages.length; n += 500) await writer.commit({ messages: messages.slice(n, n + 500) });
}

/** The seconds that each stored key of a conversation still lives. */
export async function livesOf({ redis }: Queues, conversation: Conversation): Promise<Record<string, number>> {
  const names = { session: sessionKey(keys, conversation), ...conversationKeys(keys, conversation) };
  const lives = Object.entries(names).map(async ([name, key]) => [name, await redis.ttl(key)] as const);
  return Object.fromEntries(await Promise.all(lives));
}
