import type { SessionMessage } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import type { Conversation } from './conversation.js';
import { readBefore } from './read-conversation.js';

/** The size of one read. The event loop and Redis do other work between two reads. */
const PART = { maxChars: 300_000, maxMessages: 500 };
/** The most characters that one search reads. */
const MOST_CHARS = 50_000_000;
const MAX_WORDS = 20;
const EXCERPT_CHARS = 300;

/** A message with at least one of the words, and the part of its content around the first of them. */
export interface MessageMatch {
  id: string;
  role: SessionMessage['role'];
  at: string;
  text: string;
}

/** The found messages. `searched` is the number of messages that were read: fewer than `stored` only in a very large conversation. */
export interface FoundMessages {
  matches: MessageMatch[];
  searched: number;
  stored: number;
}

interface Candidate {
  message: SessionMessage;
  words: number;
  position: number;
}

/**
 * Searches the messages of a conversation by words, without regard to case. Messages with more of the words come first, then newer ones.
 * The time is linear in the size of the conversation.
 */
export async function searchMessages(
  queues: Queues,
  conversation: Conversation,
  { query, limit }: { query: string; limit: number },
): Promise<FoundMessages> {
  const words = [...new Set(foldCase(query).split(/\s+/))].filter((word) => word !== '').slice(0, MAX_WORDS);
  const best: Candidate[] = [];
  let [before, searched, stored, chars] = ['', 0, 0, 0];
  while (words.length > 0 && chars < MOST_CHARS) {
    const part = await readBefore(queues, conversation, before, PART);
    if (part.messages.length === 0) break;
    for (const message of part.messages) {
      chars += message.content.length;
      keepBest(best, candidateOf(message, words), limit);
    }
    searched += part.messages.length;
    ({ last: before, stored } = part);
  }
  return { matches: best.map(toMatch), searched, stored };
}

function candidateOf(message: SessionMessage, words: readonly string[]): Candidate {
  const content = foldCase(message.content);
  const positions = words.map((word) => content.indexOf(word)).filter((position) => position >= 0);
  return { message, words: positions.length, position: Math.min(...positions) };
}

/** `best` is sorted. Candidates come newest first, so an equal one goes behind. */
function keepBest(best: Candidate[], candidate: Candidate, limit: number): void {
  if (candidate.words === 0) return;
  const at = best.findIndex(({ words }) => words < candidate.words);
  best.splice(at === -1 ? best.length : at, 0, candidate);
  best.length = Math.min(best.length, limit);
}

function toMatch({ message: { id, role, at, content }, position }: Candidate): MessageMatch {
  const start = Math.max(0, position - EXCERPT_CHARS / 3);
  const end = start + EXCERPT_CHARS;
  const text = `${start > 0 ? '…' : ''}${content.slice(start, end)}${end < content.length ? '…' : ''}`;
  // A cut may leave half of a surrogate pair.
  return { id, role, at, text: text.replaceAll(/\p{Cs}/gu, '') };
}

function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
