import { isBlank } from './match-markers.js';

/** A `<think>` section with its tags; `end` is undefined if the text has no `</think>` behind it. */
interface Thought {
  start: number;
  end: number | undefined;
}

/**
 * Returns `responseText` without the `<think>` sections of the whole text, from which `parse` took it. A `<think>` in an
 * HTML comment is text. A `<think>` that is not closed is a thought to the end if it begins its line, because the model
 * was cut off; elsewhere it is a mention. Linear in the text.
 */
export function withoutThoughts(text: string, responseText: string): string {
  // A block makes `parse` trim the text before it. Without a block nothing is cut.
  const isWhole = responseText.length === text.length;
  const start = isWhole ? 0 : text.length - text.trimStart().length;
  const end = start + responseText.length;
  let shown = '';
  let at = start;
  let beginsLine = true;
  for (const thought of thoughtsIn(text)) {
    if (thought.start >= end) break;
    shown += text.slice(at, thought.start);
    beginsLine = isLineBlank(text, at, thought.start) ?? beginsLine;
    if (thought.end === undefined && beginsLine) return shown;
    at = thought.end ?? thought.start;
  }
  return shown + text.slice(at, Math.max(at, end));
}

/** Yields the thoughts of a text in order, as the search for blocks skips them. */
function* thoughtsIn(text: string): Generator<Thought> {
  const opener = /<think\s*>|<!--/gi;
  const absent = new Set<string>();
  for (let match = opener.exec(text); match; match = opener.exec(text)) {
    const isComment = match[0] === '<!--';
    const closer = isComment ? /-->/g : /<\/think\s*>/gi;
    closer.lastIndex = opener.lastIndex;
    const isClosed = !absent.has(closer.source) && closer.test(text);
    if (!isComment) yield { start: match.index, end: isClosed ? closer.lastIndex : undefined };
    if (isClosed) opener.lastIndex = closer.lastIndex;
    else absent.add(closer.source);
  }
}

/** Whether the last line of a range is blank; undefined if the line begins before the range. */
function isLineBlank(text: string, from: number, to: number): boolean | undefined {
  for (let at = to - 1; at >= from; at--) {
    if (text[at] === '\n') return true;
    if (!isBlank(text.charAt(at))) return false;
  }
  return undefined;
}
