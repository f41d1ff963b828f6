import { isFinal, type Json, type Status, isObject, own } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { readLarge, readLargePart } from './large-results.js';
import { readState } from '../consume/journal.js';
import { toInvocation } from './read-invocation.js';
import type { StepOutcome } from './record.js';
import { readJob } from './stored-job.js';
import { isInReach, type TenantReach } from './tenant-reach.js';

/** Reads the text of a result: the string itself, or the JSON of any other value. */
export interface ResultReader {
  /** Characters of the text, in UTF-16 code units. */
  total: number;
  part(from: number, to: number): Promise<string>;
  whole(): Promise<Json>;
}

/**
 * Returns the status of an invocation and, if it has ended, a reader for the result of each step; undefined for a step that did not
 * succeed. Returns undefined if the invocation does not exist.
 */
export async function openResult(
  queues: Queues,
  reach: TenantReach,
  id: string,
): Promise<{ status: Status; steps: (ResultReader | undefined)[] } | undefined> {
  const job = await readJob(queues, id);
  if (!job || !isInReach(reach, job.data.tenant)) return undefined;
  const { status } = toInvocation(id, job, new Map());
  if (status === 'succeeded')
    return { status, steps: (job.returnvalue?.steps ?? []).map((step) => readerOf(queues, id, step)) };
  const state = isFinal(status) ? await readState(queues, id) : new Map<string, string>();
  const steps = job.data.calls.map((_, index) => {
    const text = state.get(`${index}`);
    const step = text === undefined ? undefined : (JSON.parse(text) as StepOutcome);
    return step?.status === 'succeeded' ? readerOf(queues, id, step) : undefined;
  });
  return { status, steps };
}

/** A reader for a value in memory. */
export function readerOfValue(value: Json): ResultReader {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { total: text.length, part: async (from, to) => text.slice(from, to), whole: async () => value };
}

function readerOf({ redis }: Queues, id: string, { result, large }: StepOutcome): ResultReader {
  if (!large) return readerOfValue(result ?? null);
  return {
    total: large.total,
    part: (from, to) => readLargePart(redis, id, large, from, to),
    whole: () => readLarge(redis, id, large),
  };
}

/**
 * The value at a JSON Pointer (RFC 6901); `''` is the whole value. Returns undefined for an invalid pointer or a missing value. An index of a
 * list is a number without leading zeros, so that `length` and `01` match nothing.
 */
export function valueAtPointer(value: Json, pointer: string): Json | undefined {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined;
  let found: Json | undefined = value;
  for (const segment of pointer.split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(found)) found = /^(0|[1-9]\d*)$/.test(key) ? found[Number(key)] : undefined;
    else found = isObject(found) ? own(found, key) : undefined;
    if (found === undefined) return undefined;
  }
  return found;
}

/**
 * A reader for the value at a path of an invocation's result. The result of one step is its value; that of several is their list. Reads only
 * the step in the path, and without a path in that step only the requested part. Returns undefined if nothing is at the path.
 */
export async function resultAt(
  steps: readonly (ResultReader | undefined)[],
  path: string,
): Promise<ResultReader | undefined> {
  if (steps.length === 1) return readAt(steps[0], path);
  const [, index, rest = ''] = /^\/(0|[1-9]\d{0,3})(\/.*)?$/s.exec(path) ?? [];
  if (index !== undefined) return readAt(steps[Number(index)], rest);
  const whole: Json[] = await Promise.all(steps.map(async (step) => (step ? step.whole() : null)));
  const value = valueAtPointer(whole, path);
  return value === undefined ? undefined : readerOfValue(value);
}

async function readAt(step: ResultReader | undefined, path: string): Promise<ResultReader | undefined> {
  if (!step || path === '') return step;
  const value = valueAtPointer(await step.whole(), path);
  return value === undefined ? undefined : readerOfValue(value);
}

/** A part of a text, its offset, and the offset of the next part (null after the last). */
export interface Part {
  text: string;
  offset: number;
  nextOffset: number | null;
}

/**
 * Reads the text between two offsets, but never splits a surrogate pair: a pair across a border belongs to the next part. Therefore,
 * consecutive parts are the whole text for any offsets. A part of only half a pair gets the whole pair, so that a reader reaches the end.
 */
export async function partOfResult(reader: ResultReader, from: number, to: number): Promise<Part> {
  const first = Math.max(0, from - 1);
  const around = await reader.part(first, Math.min(to + 1, reader.total));
  const border = (offset: number) => (isWithinPair(around, offset - first) ? offset - 1 : offset);
  const begin = border(from);
  const end = border(to) > begin ? border(to) : to + (to - border(to));
  return {
    text: around.slice(begin - first, end - first),
    offset: begin,
    nextOffset: end < reader.total ? end : null,
  };
}

function isWithinPair(text: string, offset: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, offset - 1), offset + 1));
}

interface Match {
  /** The offset of its first character. A part can be read from there. */
  offset: number;
  /** The text around it in one line. */
  excerpt: string;
}

/** The number of characters that are searched at a time. */
const WINDOW = 1_000_000;
/** The number of characters before and after a match in an excerpt. */
const AROUND = 60;

/**
 * Finds a text in a result, ignoring case, from offset `from` on. `next` is the offset from which to continue, null after the last match.
 */
export async function searchResult(
  reader: ResultReader,
  wanted: string,
  { from, limit }: { from: number; limit: number },
): Promise<{ matches: Match[]; next: number | null }> {
  const matches: Match[] = [];
  for (let start = from; start < reader.total; start += WINDOW) {
    // A match may begin at the end of this window and end in the next one.
    const text = await reader.part(start, start + WINDOW + wanted.length - 1);
    for (const { index } of text.matchAll(new RegExp(literally(wanted), 'giu'))) {
      const offset = start + index;
      if (matches.length === limit) return { matches, next: offset };
      matches.push({ offset, excerpt: await excerptAt(reader, offset, wanted.length) });
    }
  }
  return { matches, next: null };
}

async function excerptAt(reader: ResultReader, offset: number, length: number): Promise<string> {
  const from = Math.max(0, offset - AROUND);
  const to = Math.min(offset + length + AROUND, reader.total);
  const text = (await reader.part(from, to)).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '').replace(/\s+/g, ' ');
  return `${from > 0 ? '…' : ''}${text}${to < reader.total ? '…' : ''}`;
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
