const STRING = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/**
 * Whether an object of a JSON text has a key twice, of which `JSON.parse` silently keeps the last: then the text has more keys
 * than its value. Much cheaper than to parse the text with positions.
 */
export function hasDuplicateKey(text: string, value: unknown): boolean {
  let keys = 0;
  for (const [, colon] of text.matchAll(STRING)) if (colon !== undefined) keys++;
  return keys > countKeys(value);
}

function countKeys(value: unknown): number {
  let keys = 0;
  const open = [value];
  while (open.length > 0) {
    const item = open.pop();
    if (typeof item !== 'object' || item === null) continue;
    if (!Array.isArray(item)) keys += Object.keys(item).length;
    for (const child of Object.values(item)) open.push(child);
  }
  return keys;
}
