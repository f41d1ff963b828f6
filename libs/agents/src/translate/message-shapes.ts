import { isObject, type MessageForm } from '@errand/contracts';
import { objectsIn, type MessageFault } from './given-call.js';

/** The three shapes, for error messages and docs. */
export const MESSAGE_SHAPES =
  'OpenAI chat: {role: "assistant", tool_calls: […]} or the completion {choices: [{message}]}; ' +
  'OpenAI Responses: the response {output: […]} or the list `output`; ' +
  'Anthropic: {role: "assistant", content: […]} with tool_use blocks, or the response with it';

/** A message with its form. For a completion, `at` is the path of the message within it. */
export interface ShapedMessage {
  form: MessageForm;
  message: unknown;
  at: string;
  /** The reason why the API ended the message. */
  ending: unknown;
}

/** Recognises the form of a message by its shape. */
export function recognise(given: unknown): ShapedMessage | MessageFault {
  if (Array.isArray(given)) return fromList(given);
  if (!isObject(given)) return noShape('', given === null ? 'null' : `a ${typeof given}`);
  if (Array.isArray(given['choices'])) return fromCompletion(given['choices']);
  if (Array.isArray(given['output']))
    return { form: 'responses', message: given['output'], at: '/output', ending: given['status'] };
  return fromMessage(given, '', given['stop_reason']);
}

/** `output` of the Responses API: each item has a type. A list with earlier rounds is refused, because their calls would run again. */
function fromList(items: readonly unknown[]): ShapedMessage | MessageFault {
  const wrong = items.findIndex((item) => !isObject(item) || !isOutputItem(item));
  if (wrong === -1) return { form: 'responses', message: items, at: '', ending: undefined };
  const hint = items.every(isObject) ? '; send only what the model returned last' : '';
  return noShape(`/${wrong}`, `a list whose item ${wrong} is not an output item of a model${hint}`);
}

const NO_OUTPUT: readonly unknown[] = ['text', 'tool_use', 'tool_result', 'function', 'function_call_output', 'custom_tool_call_output']; // prettier-ignore

function isOutputItem({ type, role }: Record<string, unknown>): boolean {
  return typeof type === 'string' && !NO_OUTPUT.includes(type) && (role === undefined || role === 'assistant');
}

function fromCompletion(choices: readonly unknown[]): ShapedMessage | MessageFault {
  const [choice] = choices;
  if (choices.length > 1)
    return {
      path: '/choices',
      message: `The completion has ${choices.length} choices; send the message of one of them`,
    };
  if (!isObject(choice)) return noShape('/choices', 'a completion without a choice');
  if ('delta' in choice && !('message' in choice))
    return {
      path: '/choices/0/delta',
      message: 'This is a part of a stream; put the parts together and send the message',
    };
  if (!isObject(choice['message'])) return noShape('/choices/0', 'a choice without a message');
  const shaped = fromMessage(choice['message'], '/choices/0/message', choice['finish_reason']);
  return 'form' in shaped && shaped.form === 'anthropic'
    ? noShape(shaped.at, 'a completion with content blocks')
    : shaped;
}

function fromMessage(message: Record<string, unknown>, at: string, ending: unknown): ShapedMessage | MessageFault {
  const { role, content, tool_calls: toolCalls } = message;
  const uses = objectsIn(content).some(({ type }) => type === 'tool_use');
  if (role !== undefined && role !== 'assistant')
    return {
      path: `${at}/role`,
      message: `The role of the message is ${JSON.stringify(role)?.slice(0, 80)}; only 'assistant' calls tools`,
    };
  if (toolCalls !== undefined && toolCalls !== null && !Array.isArray(toolCalls))
    return { path: `${at}/tool_calls`, message: 'tool_calls must be a list' };
  if (toolCalls && uses) return noShape(at, 'a message with both tool_calls and tool_use blocks');
  if (isObject(message['function_call']))
    return { path: `${at}/function_call`, message: 'function_call has no id; give the model its functions in `tools`' };
  const isMessage = role === 'assistant' && (typeof (content ?? '') === 'string' || Array.isArray(content));
  if (toolCalls) return { form: 'openai', message, at, ending };
  if (uses || (isMessage && message['type'] === 'message')) return { form: 'anthropic', message, at, ending };
  return isMessage ? { form: 'openai', message, at, ending } : noShape(at, 'an object with other fields');
}

function noShape(path: string, found: string): MessageFault {
  return { path, message: `message has none of the three shapes, but is ${found}. ${MESSAGE_SHAPES}` };
}
