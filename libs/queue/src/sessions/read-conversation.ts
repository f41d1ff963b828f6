import { join } from 'node:path';
import type { SessionMessage } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { conversationKeys, type Conversation } from './conversation.js';
import { keysOf } from '../redis/names.js';

const READ_NEWEST = loadScript<[stored: number, last: string, ...messages: string[]]>(
  join(__dirname, 'read-newest.lua'),
);

/** More messages than a model needs. Without a limit, many short messages would make a long conversation cost more than a short one. */
const MOST_MESSAGES = 400;

/** The most messages of one read. A script can return about 8,000 values. */
const MOST_OF_ONE_READ = 4_000;

/** The newest messages of a conversation, oldest first. `older` is the number of stored messages before them. */
export interface NewestMessages {
  messages: SessionMessage[];
  older: number;
}

interface MessageBounds {
  maxChars: number;
  maxMessages?: number;
}

/**
 * Reads the newest messages that have at most `maxChars` characters together, and always the newest one. The arguments of calls count, too.
 * One command, whose cost depends on what it returns and not on the length of the conversation.
 */
export async function readConversation(
  queues: Queues,
  conversation: Conversation,
  bounds: MessageBounds,
): Promise<NewestMessages> {
  const { messages, stored } = await readBefore(queues, conversation, '', bounds);
  return { messages: messages.toReversed(), older: stored - messages.length };
}

/** The messages before a number, newest first, the number of the last one, and how many messages are stored. */
export async function readBefore(
  { redis }: Queues,
  conversation: Conversation,
  before: string,
  { maxChars, maxMessages = MOST_MESSAGES }: MessageBounds,
): Promise<{ messages: SessionMessage[]; last: string; stored: number }> {
  const keys = keysOf(redis);
  const { messages, ids } = conversationKeys(keys, conversation);
  const [stored, last, ...texts] = await READ_NEWEST.run(
    redis,
    [messages, ids],
    [maxChars, Math.min(maxMessages, MOST_OF_ONE_READ), before],
  );
  return { messages: texts.map((text) => JSON.parse(text) as SessionMessage), last, stored };
}

/** The ids among these that the conversation knows. One round trip. */
export async function knownMessages(
  { redis }: Queues,
  conversation: Conversation,
  ids: readonly string[],
): Promise<Set<string>> {
  const keys = keysOf(redis);
  if (ids.length === 0) return new Set();
  const numbers = await redis.zmscore(conversationKeys(keys, conversation).ids, ...ids);
  return new Set(ids.filter((_, n) => numbers[n] !== null));
}
