/** OpenAI's limit, the shortest of the supported APIs. */
const MAX_LENGTH = 64;
const PLAIN = /^[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$/;

/**
 * The name of a tool for APIs that allow only letters, digits, `_` and `-` (at most 64): `core:echo` becomes
 * `core__echo`. An id that would be too long or ambiguous ends in its digest and has no `__`. The registry keeps the
 * alias, so that a call by alias finds the tool.
 */
export function aliasOf(toolId: string): string {
  if (PLAIN.test(toolId) && toolId.length <= MAX_LENGTH) return toolId;
  const parts = toolId.split(':');
  const joined = parts.join('__');
  if (parts.length === 2 && parts.every((part) => PLAIN.test(part)) && joined.length <= MAX_LENGTH) return joined;
  const digest = digestOf(toolId);
  const readable = toolId.replace(/[^A-Za-z0-9-]+/g, '_').replace(/^_+/, '');
  return `${readable.slice(0, MAX_LENGTH - digest.length - 1).replace(/_+$/, '')}_${digest}`;
}

/** 64 bits of FNV-1a over the UTF-16 code units of the id. The digest separates names; it is not a security measure. */
function digestOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < text.length; i++)
    hash = ((hash ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash.toString(36).padStart(13, '0');
}
