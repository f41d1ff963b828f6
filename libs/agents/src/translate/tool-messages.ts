import type { CallAnswer, MessageForm } from '@errand/contracts';

// Type aliases of object literals, not interfaces, so that they are JSON objects for TypeScript.
type OpenAiToolMessage = { role: 'tool'; tool_call_id: string; content: string };
type ResponsesCallOutput = {
  type: 'function_call_output' | 'custom_tool_call_output';
  call_id: string;
  output: string;
};
type AnthropicToolResult = { type: 'tool_result'; tool_use_id: string; content: string; is_error?: true };
type AnthropicToolMessage = { role: 'user'; content: AnthropicToolResult[] };

/** The messages of each form. */
interface ToolMessages {
  openai: OpenAiToolMessage[];
  responses: ResponsesCallOutput[];
  anthropic: AnthropicToolMessage[];
}

const WRITERS: { [Form in MessageForm]: (answers: readonly CallAnswer[]) => ToolMessages[Form] } = {
  openai: (answers) => answers.map(({ callId, content }) => ({ role: 'tool', tool_call_id: callId, content })),
  responses: (answers) =>
    answers.map(({ callId, content, isCustom }) => ({
      type: isCustom ? 'custom_tool_call_output' : 'function_call_output',
      call_id: callId,
      output: content,
    })),
  anthropic: (answers) => (answers.length === 0 ? [] : [{ role: 'user', content: answers.map(toToolResult) }]),
};

/**
 * The answers to the calls of a message, ready to append to the conversation behind that message. Each id occurs once: the APIs refuse
 * two answers to one call.
 */
export function toToolMessages<Form extends MessageForm>(
  form: Form,
  answers: readonly CallAnswer[],
): ToolMessages[Form] {
  const first = new Map(answers.toReversed().map((answer) => [answer.callId, answer]));
  return WRITERS[form](answers.filter((answer) => first.get(answer.callId) === answer));
}

function toToolResult({ callId, content, isError }: CallAnswer): AnthropicToolResult {
  return { type: 'tool_result', tool_use_id: callId, content, ...(isError && { is_error: true as const }) };
}
