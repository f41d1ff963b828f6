import { isObject } from '@errand/contracts';

/**
 * The body of a run in the spelling of AG-UI's schema. Front ends that were written before AG-UI 1.0 say `tool_id` and `tool_name` in a
 * tool message, and leave out the `id` of a message: it becomes `''`. Other values stay as they are, also wrong ones, so that the schema
 * reports them.
 */
export function spellRunInput(body: unknown): unknown {
  if (!isObject(body) || !Array.isArray(body['messages'])) return body;
  return { ...body, messages: body['messages'].map((message: unknown) => spellMessage(message)) };
}

function spellMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { id, toolCallId, tool_id: toolId, tool_name: toolName, name } = message;
  return {
    ...message,
    id: id ?? '',
    ...(toolCallId === undefined && toolId !== undefined && { toolCallId: toolId }),
    ...(name === undefined && toolName !== undefined && { name: toolName }),
  };
}
