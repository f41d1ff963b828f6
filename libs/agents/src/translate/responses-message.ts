import { objectsIn, textOf, type GivenMessage } from './given-call.js';

/** Calls with a `call_id` wait for an output of the caller. The API itself runs all others, such as a web search. */
const isCallForCaller = ({ type, call_id: id }: Record<string, unknown>) =>
  typeof type === 'string' && type.endsWith('_call') && typeof id === 'string';

/** Reads the output items of OpenAI's Responses API. */
export function readResponsesOutput(output: unknown): GivenMessage {
  const items = objectsIn(output);
  const isRead = ({ type }: Record<string, unknown>) => type === 'function_call' || type === 'custom_tool_call';
  const calls = items.filter(isRead).map(({ type, call_id: callId, name, arguments: args, status }) => ({
    callId,
    name,
    arguments: args,
    isCut: status === 'incomplete',
    isCustom: type === 'custom_tool_call',
  }));
  const others = items.filter((item) => isCallForCaller(item) && !isRead(item));
  return {
    calls,
    responseText: items.map(({ type, content }) => (type === 'message' ? textOf(content) : '')).join(''),
    warnings: others.map(
      ({ type, call_id: id }) =>
        `The call ${String(id).slice(0, 80)} is a ${String(type).slice(0, 80)}, which Errand does not run`,
    ),
  };
}
