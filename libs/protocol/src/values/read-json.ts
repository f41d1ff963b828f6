import { findInexact, isDeeperThan, isInexact, MAX_DEPTH, type Json } from '@errand/contracts';

/** The value of a JSON text, or why it cannot be read. */
export type JsonReading = { value: Json } | { problem: string };

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;

/**
 * Reads JSON text. It refuses losses that `JSON.parse` ignores: a duplicate key in an object, and an integer that a
 * double cannot hold exactly.
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

function findLoss(text: string): string | undefined {
  if (text.includes('{')) return findLossInTokens(text);
  // Without objects no key can be given twice.
  const inexact = findInexact(text);
  return inexact === undefined ? undefined : tooLarge(inexact);
}

/** Scans the tokens of a valid JSON text. */
function findLossInTokens(text: string): string | undefined {
  const open: (Set<string> | null)[] = [];
  let previous = '';
  let key: string | undefined;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name: string = JSON.parse(key ?? '""');
      const names = open.at(-1);
      if (names?.has(name)) return `gives the key '${name}' twice`;
      names?.add(name);
    } else if (isInexact(token)) return tooLarge(token);
    if (token.startsWith('"') && (previous === '{' || previous === ',')) key = token;
    previous = token;
  }
  return undefined;
}

function tooLarge(token: string): string {
  return `holds the number ${token}, which is too large to be held exactly`;
}
