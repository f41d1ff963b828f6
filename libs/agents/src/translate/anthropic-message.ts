import { isObject } from '@errand/contracts';
import { objectsIn, textOf, type GivenMessage } from './given-call.js';

/**
 * Reads a message of Anthropic's API. Its arguments are objects. If the model reached its limit of tokens within the last block, the
 * object of that block lacks its end.
 */
export function readAnthropicMessage(message: unknown, stopReason: unknown): GivenMessage {
  const blocks = objectsIn(isObject(message) ? message['content'] : undefined);
  const last = blocks.at(-1);
  const wasCut = stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded';
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map((block) => ({
      callId: block['id'],
      name: block['name'],
      arguments: block['input'],
      isCut: wasCut && block === last,
      isCustom: false,
    }));
  return { calls, responseText: textOf(blocks), warnings: [] };
}
