/** Line breaks and control characters, and marks that change the direction of text: none may begin a line or hide a word. */
const BREAKING = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu;
const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const LOOK_BACK = 200;
/** What a message needs more than a limit, so that escaping does not read a text of megabytes. */
const SLACK = 100;

/** A text as a part of one line of an Observation: cut at a limit, with control characters as escapes (`\n`). */
export function oneLine(text: string, limit: number): string {
  const line = text
    .slice(0, limit + SLACK)
    .replace(BREAKING, (char) => ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return line.length <= limit && text.length <= limit + SLACK ? line : `${line.slice(0, boundaryBefore(line, limit))}…`;
}

/** The text as a sentence with its full stop. */
export function sentence(text: string): string {
  return /[.!?。…]$/.test(text) ? text : `${text}.`;
}

/** The last blank, line break or separator shortly before the limit; else the limit, but never inside a surrogate pair. */
export function boundaryBefore(text: string, limit: number): number {
  const tail = text.slice(Math.max(0, limit - LOOK_BACK), limit);
  const boundary = /[\s,;，。；][^\s,;，。；]*$/u.exec(tail);
  if (boundary) return limit - tail.length + boundary.index + 1;
  const code = text.charCodeAt(limit);
  return limit > 1 && code >= 0xdc00 && code <= 0xdfff ? limit - 1 : limit;
}
