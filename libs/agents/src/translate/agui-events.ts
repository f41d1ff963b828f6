import type { Json, JsonObject, JsonSchema } from '@errand/contracts';

/** The version of AG-UI whose events these are. */
export const AGUI_VERSION = '1.0';

/** A wait for an answer, as AG-UI shows it. A `resume` entry answers it by its id. */
export interface AguiInterrupt {
  id: string;
  reason: 'answer';
  message?: string;
  toolCallId?: string;
  responseSchema?: JsonSchema;
  /** ISO 8601. */
  expiresAt?: string;
}

/** Why a run ended. */
export type AguiOutcome =
  | { type: 'success'; pendingToolCallIds?: string[] }
  | { type: 'interrupt'; interrupts: AguiInterrupt[] }
  | { type: 'cancelled' };

/** The numbers of tokens of a run. */
export interface AguiUsage {
  inputTokens?: number;
  outputTokens?: number;
  totalTokens?: number;
  reasoningTokens?: number;
  cachedInputTokens?: number;
}

/** A call of an assistant's message. `arguments` is JSON text. */
export interface AguiToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** A message of a conversation, in the form of AG-UI. */
export type AguiMessage =
  | { id: string; role: 'user' | 'system'; content: string }
  | { id: string; role: 'assistant'; content?: string; toolCalls?: AguiToolCall[] }
  | { id: string; role: 'tool'; toolCallId: string; content: string; error?: string };

/** The events of AG-UI that a run of Errand has. They are plain objects: another package encodes them. */
export type AguiEvent =
  | {
      type: 'RUN_STARTED';
      threadId: string;
      runId: string;
      protocolVersion: string;
      parentRunId?: string;
      metadata?: JsonObject;
    }
  | {
      type: 'RUN_FINISHED';
      threadId: string;
      runId: string;
      result?: Json;
      outcome: AguiOutcome;
      usage?: AguiUsage[];
      metadata?: JsonObject;
    }
  | { type: 'RUN_ERROR'; message: string; code: string; usage?: AguiUsage[]; metadata?: JsonObject }
  | { type: 'STEP_STARTED' | 'STEP_FINISHED'; stepName: string }
  | { type: 'TEXT_MESSAGE_START'; messageId: string; role: 'assistant' }
  | { type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT'; messageId: string; delta: string }
  | { type: 'TEXT_MESSAGE_END' | 'REASONING_START' | 'REASONING_MESSAGE_END' | 'REASONING_END'; messageId: string }
  | { type: 'REASONING_MESSAGE_START'; messageId: string; role: 'reasoning' }
  | { type: 'TOOL_CALL_START'; toolCallId: string; toolCallName: string; parentMessageId: string }
  | { type: 'TOOL_CALL_ARGS'; toolCallId: string; delta: string }
  | { type: 'TOOL_CALL_END'; toolCallId: string }
  | { type: 'TOOL_CALL_RESULT'; messageId: string; toolCallId: string; content: string; role: 'tool' }
  | { type: 'STATE_SNAPSHOT'; snapshot: JsonObject }
  | { type: 'STATE_DELTA'; delta: JsonObject[] }
  | { type: 'MESSAGES_SNAPSHOT'; messages: AguiMessage[] };
