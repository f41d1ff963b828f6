import { join } from 'node:path';
import type { SessionMessage } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { conversationKeys, type Conversation } from './conversation.js';

const READ_NEWEST = loadScript<[older: number, ...messages: string[]]>(join(__dirname, 'read-newest.lua'));

/** More messages than a model needs. Without a limit, many short messages would make a long conversation cost more than a short one. */
const MOST_MESSAGES = 400;

/** The newest messages of a conversation, oldest first. `older` is the number of stored messages before them. */
export interface NewestMessages {
  messages: SessionMessage[];
  older: number;
}

/**
 * Reads the newest messages that have at most `maxChars` characters together, and always the newest one. The arguments of calls count, too.
 * One command, whose cost depends on what it returns and not on the length of the conversation.
 */
export async function readConversation(
  { redis }: Queues,
  conversation: Conversation,
  { maxChars, maxMessages = MOST_MESSAGES }: { maxChars: number; maxMessages?: number },
): Promise<NewestMessages> {
  const [older, ...newestFirst] = await READ_NEWEST.run(
    redis,
    [conversationKeys(conversation).messages],
    [maxChars, maxMessages],
  );
  return { messages: newestFirst.toReversed().map((text) => JSON.parse(text) as SessionMessage), older };
}

/** The ids among these that the conversation knows. One round trip. */
export async function knownMessages(
  { redis }: Queues,
  conversation: Conversation,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const numbers = await redis.zmscore(conversationKeys(conversation).ids, ...ids);
  return new Set(ids.filter((_, n) => numbers[n] !== null));
}
