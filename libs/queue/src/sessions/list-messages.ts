import { join } from 'node:path';
import type { SessionMessage } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { conversationKeys, type Conversation, type SessionName } from './conversation.js';
import { keysOf } from '../redis/names.js';

const READ_FROM = loadScript<[more: 0 | 1, ...pairs: string[]]>(join(__dirname, 'read-from.lua'));

/** The most characters of a page, so that a page of large messages does not fill the memory of the process. */
const PAGE_CHARS = 2_000_000;

/** A message of a session with its number, which grows in the order of writing, and its agent. */
export interface NumberedMessage {
  number: number;
  agent: string;
  message: SessionMessage;
}

/** A page of messages, oldest first. `next` is the number after which the next page begins. */
export interface MessagePage {
  items: NumberedMessage[];
  next?: number;
}

/** Reads the messages of these agents in a session after a number (0 for all), in the order of writing. One command for each agent. */
export async function listMessages(
  queues: Queues,
  name: SessionName,
  { agents, after, limit }: { agents: readonly string[]; after: number; limit: number },
): Promise<MessagePage> {
  const bounds = { after, maxChars: Math.ceil(PAGE_CHARS / Math.max(1, agents.length)), limit };
  const parts = await Promise.all(agents.map((agent) => readPart(queues, { ...name, agent }, bounds)));
  // Behind the end of a part that was cut, messages of its agent are missing.
  const complete = Math.min(...parts.map(({ more, items }) => (more ? (items.at(-1)?.number ?? after) : Infinity)));
  const known = parts.flatMap(({ items }) => items).filter(({ number }) => number <= complete);
  const items = known.toSorted((a, b) => a.number - b.number).slice(0, limit);
  const next = items.at(-1)?.number;
  const isMore = known.length > items.length || parts.some(({ more }) => more);
  return { items, ...(isMore && next !== undefined && { next }) };
}

async function readPart(
  { redis }: Queues,
  conversation: Conversation,
  { after, maxChars, limit }: { after: number; maxChars: number; limit: number },
): Promise<{ items: NumberedMessage[]; more: boolean }> {
  const keys = keysOf(redis);
  const { messages, ids } = conversationKeys(keys, conversation);
  const [more, ...pairs] = await READ_FROM.run(redis, [messages, ids], [after, maxChars, limit]);
  const items: NumberedMessage[] = [];
  for (let n = 0; n + 1 < pairs.length; n += 2) {
    const message = JSON.parse(pairs[n + 1] ?? 'null') as SessionMessage;
    items.push({ number: Number(pairs[n]), agent: conversation.agent, message });
  }
  return { items, more: more === 1 };
}
