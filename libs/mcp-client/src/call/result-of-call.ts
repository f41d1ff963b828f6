import { isDeeperThan, isObject, MAX_DEPTH, type Json } from '@errand/contracts';
import type { OpenedServer } from '../connect/expand-secrets.js';
import { RemoteError, shown } from '../connect/remote-error.js';

/**
 * The result of a call: `structuredContent`, else the text of the only block if it is a text, else `{content}`.
 * @throws RemoteError NodeError if the tool failed; OutputError for a result that Errand cannot keep
 */
export function readResult(result: Record<string, unknown>, { name, mask }: OpenedServer): Json {
  if (isDeeperThan(result, MAX_DEPTH + 2))
    throw new RemoteError('OutputError', `The server '${name}' gave a result that nests deeper than ${MAX_DEPTH} levels`, 'unknown'); // prettier-ignore
  const content = Array.isArray(result.content) ? result.content : [];
  if (result.isError === true) {
    const text = content.map(textOf).join('\n').trim();
    throw new RemoteError('NodeError', shown(text || 'The tool failed without a message', { mask: mask.text }), 'none');
  }
  if (result.structuredContent !== undefined) return mask.json(toJson(result.structuredContent));
  const [first] = content;
  const isText = content.length === 1 && isObject(first) && first.type === 'text' && typeof first.text === 'string';
  return isText ? mask.text(String(first.text)) : mask.json(toJson({ content }));
}

function textOf(block: unknown): string {
  if (!isObject(block)) return '';
  return block.type === 'text' ? String(block.text) : `[${String(block.type)}]`;
}

/** What was parsed from JSON, and has no `undefined` in it. */
function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
