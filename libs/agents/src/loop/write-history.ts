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
 * Writes the newest part of a conversation, with at most `maxChars` characters. Rounds are left out whole, oldest first, so that no result
 * stands without its call. The newest message of a user and all that follows it always stay.
 */
export function writeHistory({ messages, older }: StoredConversation, maxChars: number): History {
  const groups = groupRounds(messages);
  const needed = Math.max(
    0,
    groups.findLastIndex(([first]) => first?.role === 'user' || first?.role === 'event'),
  );
  let from = groups.length;
  let size = 0;
  while (from > 0) {
    const next = sizeOf(groups[from - 1] ?? []);
    if (from - 1 < needed && size + next > maxChars) break;
    size += next;
    from -= 1;
  }
  const kept = groups.slice(from).flat();
  // A part that was read from the middle of a round begins with answers to calls that are not there.
  const whole = kept.slice(
    Math.max(
      0,
      kept.findIndex(({ role }) => role !== 'tool' && role !== 'observation'),
    ),
  );
  return { messages: whole.map(toOpenAi), left: older + messages.length - whole.length };
}

/** An answer of the model with everything that follows it up to the next answer or user message. */
function groupRounds(messages: readonly SessionMessage[]): SessionMessage[][] {
  const groups: SessionMessage[][] = [];
  for (const message of messages) {
    const follows = message.role === 'tool' || message.role === 'observation';
    const last = groups.at(-1);
    if (follows && last) last.push(message);
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
