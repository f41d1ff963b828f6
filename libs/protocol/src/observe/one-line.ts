/** Line breaks, control characters and bidirectional marks. They could begin a new line or hide text. */
const BREAKING = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu;
const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const LOOK_BACK = 200;
/** Characters beyond the limit that are escaped, so that escaping does not read megabytes of text. */
const SLACK = 100;

/** Returns a text as part of one Observation line: cut at a limit, with control characters escaped (`\n`). */
export function oneLine(text: string, limit: number): string {
  const line = escapeControls(text.slice(0, limit + SLACK));
  return line.length <= limit && text.length <= limit + SLACK ? line : `${line.slice(0, boundaryBefore(line, limit))}…`;
}

/** Writes control characters, line ends and bidirectional marks as escapes such as `\n`. */
export function escapeControls(text: string): string {
  return text.replace(BREAKING, (char) => ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The text as a sentence with its full stop. */
export function sentence(text: string): string {
  return /[.!?。…]$/.test(text) ? text : `${text}.`;
}

/**
 * The last blank, line break or separator shortly before the limit; else the limit, but never inside a surrogate pair.
 */
export function boundaryBefore(text: string, limit: number): number {
  const tail = text.slice(Math.max(0, limit - LOOK_BACK), limit);
  const boundary = /[\s,;，。；][^\s,;，。；]*$/u.exec(tail);
  if (boundary) return limit - tail.length + boundary.index + 1;
  const code = text.charCodeAt(limit);
  return limit > 1 && code >= 0xdc00 && code <= 0xdfff ? limit - 1 : limit;
}
