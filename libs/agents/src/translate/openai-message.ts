import { isObject } from '@errand/contracts';
import { textOf, type GivenCall, type GivenMessage } from './given-call.js';

/** Reads a message of OpenAI's chat completions. Its arguments are JSON text, so that a cut text does not parse. */
export function readOpenAiMessage(message: unknown): GivenMessage {
  const { tool_calls: calls, content } = isObject(message) ? message : {};
  const given = Array.isArray(calls) ? calls.map((call: unknown) => (isObject(call) ? call : {})) : [];
  return { calls: given.map(toCall), responseText: textOf(content), warnings: [] };
}

function toCall({ id, type, function: called, custom }: Record<string, unknown>): GivenCall {
  const isCustom = type === 'custom';
  const target = isCustom ? custom : called;
  const { name, arguments: args } = isObject(target) ? target : {};
  return { callId: id, name, arguments: args, isCut: false, isCustom };
}
