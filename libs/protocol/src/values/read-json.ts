import { isDeeperThan, isInexact, MAX_DEPTH, type Json } from '@errand/contracts';

/** JSON text read into a value, or why it can't be taken as it stands. */
export type JsonReading = { value: Json } | { problem: string };

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;

/**
 * Reads JSON text. What `JSON.parse` would lose without a word is refused: a key given twice in one object, and a whole
 * number that a double can't hold exactly.
 */
export function readJson(text: string): JsonReading {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `is not valid JSON (${error instanceof Error ? error.message : String(error)})` };
  }
  if (isDeeperThan(value)) return { problem: `nests deeper than ${MAX_DEPTH} levels` };
  const loss = findLoss(text);
  return loss === undefined ? { value } : { problem: loss };
}

/** Walks the tokens of a text that is known to be JSON. */
function findLoss(text: string): string | undefined {
  const open: (Set<string> | null)[] = [];
  let previous = '';
  let key: string | undefined;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name: string = JSON.parse(key!);
      const names = open.at(-1)!;
      if (names?.has(name)) return `gives the key '${name}' twice`;
      names?.add(name);
    } else if (isInexact(token)) return `holds the number ${token}, which is too large to be held exactly`;
    if (token.startsWith('"') && (previous === '{' || previous === ',')) key = token;
    previous = token;
  }
  return undefined;
}
