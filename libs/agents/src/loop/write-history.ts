import type { JsonObject, SessionMessage } from '@errand/contracts';

/** The conversation as a model gets it, in OpenAI's form. */
export interface History {
  messages: JsonObject[];
  /** The number of older messages that are left out. */
  left: number;
}

/** The stored conversation: its newest messages, oldest first, and the number of the older ones. */
export interface StoredConversation {
  messages: readonly SessionMessage[];
  older: number;
}

/**
 * Writes the newest part of a conversation, with at most `maxChars` characters, and always its newest round. Rounds are left out whole,
 * oldest first, so that each result keeps its call.
 * @param pinned the messages that began the turn, which are never left out
 */
export function writeHistory(
  { messages, older }: StoredConversation,
  maxChars: number,
  pinned: readonly SessionMessage[] = [],
): History {
  // A part that was read from the middle of a round begins with answers to calls that are not there.
  const first = messages.findIndex(({ role }) => !FOLLOWS.has(role));
  const groups = first === -1 ? [] : groupRounds(messages.slice(first));
  let from = groups.length;
  for (let size = 0; from > 0; from--) {
    size += sizeOf(groups[from - 1] ?? []);
    if (size > maxChars && from < groups.length) break;
  }
  const kept = groups.slice(from).flat();
  const ids = new Set(kept.map(({ id }) => id));
  const all = [...pinned.filter(({ id }) => !ids.has(id)), ...kept];
  return { messages: all.map(toOpenAi), left: Math.max(0, older + messages.length - all.length) };
}

/** The roles of messages that belong to the answer before them. */
const FOLLOWS: ReadonlySet<SessionMessage['role']> = new Set(['tool', 'observation']);

/** An answer of the model with everything that follows it up to the next answer or user message. */
function groupRounds(messages: readonly SessionMessage[]): SessionMessage[][] {
  const groups: SessionMessage[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (FOLLOWS.has(message.role) && last) last.push(message);
    else groups.push([message]);
  }
  return groups;
}

function sizeOf(group: readonly SessionMessage[]): number {
  return group.reduce((sum, { content, toolCalls }) => sum + content.length + sizeOfCalls(toolCalls), 0);
}

function sizeOfCalls(calls: SessionMessage['toolCalls'] = []): number {
  return calls.reduce((sum, { function: called }) => sum + called.name.length + called.arguments.length, 0);
}

const ROLES = {
  user: 'user',
  event: 'user',
  observation: 'user',
  system: 'system',
  assistant: 'assistant',
  tool: 'tool',
} as const;

function toOpenAi({ role, content, toolCalls, toolCallId }: SessionMessage): JsonObject {
  return {
    role: ROLES[role],
    content,
    ...(toolCalls && toolCalls.length > 0 && { tool_calls: toolCalls.map((call) => ({ ...call })) }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
  };
}
