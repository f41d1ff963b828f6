import type { Invocation } from '@errand/contracts';
import type { Client, Problem } from './client.js';

/** An ended invocation with the messages of OpenAI's chat completions, or of another API. */
export interface Answered extends Omit<Invocation, 'messages'> {
  messages?: { role?: string; tool_call_id?: string; content: unknown }[];
}

/** The refusal of a message. */
export interface Refused extends Problem {
  messages: { tool_call_id: string; content: string }[];
  errors: (NonNullable<Problem['errors']>[number] & { callId?: string })[];
}

/** A tool call of OpenAI's chat completions. Arguments that are a text are sent as they are. */
export function toolCall(id: string | undefined, name: string, args: object | string) {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return { ...(id !== undefined && { id }), type: 'function', function: { name, arguments: text } };
}

/** A call that returns its value. */
export function echo(id: string, value: unknown) {
  return toolCall(id, 'core__echo', { value });
}

/** A message of OpenAI's chat completions. */
export function chat(...calls: object[]) {
  return { role: 'assistant', content: 'I will.', tool_calls: calls };
}

/** A block of Anthropic's messages. */
export function toolUse(id: string, name: string, input: object) {
  return { type: 'tool_use', id, name, input };
}

/** Submits a message and waits for its end. */
export async function invokeMessage(client: Client, message: unknown, more: object = {}): Promise<Answered> {
  return (await client.invoke({ message, ...more })) as Answered;
}
