import { skipBlanks } from '../blanks.js';
import { findTagEnd, nameStartsAt } from './markup.js';

/**
 * The result of reading an ACTION opener. `start` is the offset of the opener, `inner`..`innerEnd` the body, `end` is
 * behind the closer.
 */
export interface ActionBlock {
  kind: 'calls' | 'empty' | 'text' | 'truncated';
  start: number;
  inner: number;
  innerEnd: number;
  end: number;
  /** Openers before this one that looked like blocks but began again before a closer. */
  abandoned: number[];
  /** The offset of a surplus closer behind the block, with tags before it. The real end of the block is unclear. */
  overrun?: number;
}

type MarkKind = 'opener' | 'closer' | 'cdata' | 'cdataEnd' | 'comment' | 'commentEnd' | 'think' | 'thinkEnd';
interface Mark {
  kind: MarkKind;
  start: number;
  end: number;
}

const MARK = /<ACTION(?=[\s>])|<\/ACTION\s*>|<!\[CDATA\[|\]\]>|<!--|-->|<think\s*>|<\/think\s*>/gi;
const KINDS: [prefix: string, kind: MarkKind][] = [
  ['<action', 'opener'],
  ['</action', 'closer'],
  ['<![CDATA[', 'cdata'],
  [']]>', 'cdataEnd'],
  ['<!--', 'comment'],
  ['-->', 'commentEnd'],
  ['<think', 'think'],
  ['</think', 'thinkEnd'],
];

/**
 * Yields the ACTION blocks of a text in order, without mere mentions. One pass over the text fills tables of its marks
 * from the right, so that the cost stays linear in the number of openers.
 * @param isToolTag whether a name is a tool, which distinguishes a cut-off body from a mention
 */
export function* findActionBlocks(text: string, isToolTag: (name: string) => boolean): Generator<ActionBlock> {
  const marks = marksOf(text);
  if (!marks.some(({ kind }) => kind === 'opener')) return;
  const next = nextOf(marks);
  const ends = blockEnds(marks, next);
  const lastToolTag = lazily(() => findLastToolTag(text, isToolTag));
  let abandoned: number[] = [];
  for (let i = 0; i < marks.length; i++) {
    const mark = marks[i];
    if (!mark) break;
    if (mark.kind === 'think' || mark.kind === 'comment') i = closing(mark.kind, next, i) ?? i;
    if (mark.kind !== 'opener') continue;
    const end = ends[i + 1] ?? marks.length;
    const closer = marks[end];
    if (closer?.kind === 'opener') {
      if (tagFollows(text, mark.end)) abandoned.push(mark.start);
      continue;
    }
    const begun = abandoned[0];
    if (!closer && begun !== undefined && !truncated(text, mark, lastToolTag)) {
      // The opener may be a mistyped closer: the block that begins before it has no closer.
      yield { kind: 'truncated', start: begun, inner: begun, innerEnd: text.length, end: text.length, abandoned: [] };
      continue;
    }
    const overrun = closer && overrunOf(text, closer, marks[ends[end + 1] ?? marks.length]);
    const block = closer ? blockBetween(text, mark, closer) : truncated(text, mark, lastToolTag);
    const isInside = abandoned.length > 0 && overrun !== undefined;
    if (!block || (block.kind === 'mention' && !isInside)) continue;
    yield {
      ...block,
      kind: block.kind === 'mention' ? 'text' : block.kind,
      abandoned,
      ...(overrun !== undefined && { overrun }),
    };
    abandoned = [];
    if (closer) i = end;
  }
}

function marksOf(text: string): Mark[] {
  const marks: Mark[] = [];
  MARK.lastIndex = 0;
  for (let match = MARK.exec(text); match; match = MARK.exec(text)) {
    const [found] = match;
    const kind = KINDS.find(([prefix]) => found.startsWith(prefix) || found.toLowerCase().startsWith(prefix))?.[1];
    if (kind) marks.push({ kind, start: match.index, end: MARK.lastIndex });
  }
  return marks;
}

const CLOSING = { cdata: 'cdataEnd', comment: 'commentEnd', think: 'thinkEnd' } as const;
type Next = Record<(typeof CLOSING)[keyof typeof CLOSING], Int32Array>;

/** For each mark, the next mark behind it of each closing kind, or -1. */
function nextOf(marks: readonly Mark[]): Next {
  const table = (kind: MarkKind) => {
    const next = new Int32Array(marks.length).fill(-1);
    for (let i = marks.length - 2; i >= 0; i--) next[i] = marks[i + 1]?.kind === kind ? i + 1 : (next[i + 1] ?? -1);
    return next;
  };
  return { cdataEnd: table('cdataEnd'), commentEnd: table('commentEnd'), thinkEnd: table('thinkEnd') };
}

function closing(kind: keyof typeof CLOSING, next: Next, index: number): number | undefined {
  const found = next[CLOSING[kind]][index] ?? -1;
  return found === -1 ? undefined : found;
}

/** For each mark, the first opener or closer from it on, outside CDATA and comments; else the number of marks. */
function blockEnds(marks: readonly Mark[], next: Next): Int32Array {
  const ends = new Int32Array(marks.length + 1).fill(marks.length);
  for (let i = marks.length - 1; i >= 0; i--) {
    const kind = marks[i]?.kind;
    const following = ends[i + 1] ?? marks.length;
    if (kind === 'opener' || kind === 'closer') ends[i] = i;
    else if (kind === 'cdata' || kind === 'comment')
      ends[i] = ends[(closing(kind, next, i) ?? marks.length - 1) + 1] ?? marks.length;
    else ends[i] = following;
  }
  return ends;
}

/**
 * Classifies a closed block. Dots alone are a mention ("write <ACTION>…</ACTION>"), unless they are inside a value of a
 * block.
 */
function blockBetween(text: string, opener: Mark, closer: Mark) {
  const tagEnd = findTagEnd(text, opener.end, closer.start);
  const inner = tagEnd === -1 ? opener.end : tagEnd + 1;
  const range = { start: opener.start, inner, innerEnd: closer.start, end: closer.end };
  if (beginsTag(text, text.indexOf('<', inner), closer.start)) return { kind: 'calls' as const, ...range };
  const body = text.slice(inner, closer.start);
  const plain = body.replace(/<!\[CDATA\[[^]*?\]\]>|<!--[^]*?-->|<\?[^]*?\?>/g, (part) => (part[2] === '[' ? 'x' : ''));
  if (/<\/?[\p{L}_]/u.test(plain)) return { kind: 'calls' as const, ...range };
  if (/^[\s.…]*[.…][\s.…]*$/.test(plain)) return { kind: 'mention' as const, ...range };
  return { kind: plain.trim() === '' ? ('empty' as const) : ('text' as const), ...range };
}

/** Whether the `<` at an offset before `to` begins a start or end tag. */
function beginsTag(text: string, at: number, to: number): boolean {
  return at !== -1 && at < to && nameStartsAt(text, text[at + 1] === '/' ? at + 2 : at + 1);
}

/**
 * Classifies an opener without a closer. It is a cut-off block if a tag follows, or a tool's tag later on. It is an
 * empty block if it is self-closing with attributes. Else it is a mention.
 */
function truncated(text: string, opener: Mark, lastToolTag: () => number): Omit<ActionBlock, 'abandoned'> | undefined {
  const tagEnd = findTagEnd(text, opener.end, text.length);
  if (tagEnd !== -1 && /=.*\/$|^\s+[^\s/]+\s*\/$/s.test(text.slice(opener.end, tagEnd)))
    return { kind: 'empty', start: opener.start, inner: tagEnd + 1, innerEnd: tagEnd + 1, end: tagEnd + 1 };
  if (!tagFollows(text, opener.end) && lastToolTag() < opener.end) return undefined;
  return { kind: 'truncated', start: opener.start, inner: opener.end, innerEnd: text.length, end: text.length };
}

/**
 * The next closer behind a block's own, without an opener but with tags between them. The block may be inside another
 * value, or cut in two.
 */
function overrunOf(text: string, closer: Mark, next: Mark | undefined): number | undefined {
  if (next?.kind !== 'closer') return undefined;
  const between = text.slice(closer.end, next.start);
  return /<\/?(?!think)[\p{L}_]/iu.test(between) ? next.start : undefined;
}

function tagFollows(text: string, openerEnd: number): boolean {
  const tagEnd = findTagEnd(text, openerEnd, text.length);
  if (tagEnd === -1) return false;
  const at = skipBlanks(text, tagEnd + 1, text.length);
  return text[at] === '<' && nameStartsAt(text, at + 1);
}

function findLastToolTag(text: string, isToolTag: (name: string) => boolean): number {
  const known = new Map<string, boolean>();
  let last = -1;
  for (const { 1: name = '', index } of text.matchAll(/<([\p{L}_][^\s<>="']{0,255})/gu)) {
    if (!known.has(name)) known.set(name, isToolTag(name.replace(/\/$/, '')));
    if (known.get(name)) last = index;
  }
  return last;
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
