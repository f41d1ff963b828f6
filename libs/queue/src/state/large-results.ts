import type { Json } from '@errand/contracts';
import type { Redis } from 'ioredis';
import { keysOf } from '../redis/names.js';
import type { LargeResult, Outcome, StepOutcome } from './record.js';

/** A result with longer JSON is stored beside the job. */
const MAX_INLINE = 64 * 1_024;
/** The length of a stored piece in characters. Pieces allow a read of one part. */
const PIECE = 64 * 1_024;
/** The number of characters that the job keeps, unless the caller wants a longer Observation. */
const BEGINNING = 8_000;

/** The invocation and attempt whose results are stored. */
interface Owner {
  id: string;
  attempt: number;
  /** The most characters of a result in an Observation. */
  maxResultChars?: number | undefined;
}

/** Stores the large results of an outcome beside the job, until the invocation is removed. Returns the outcome without them. */
export async function storeLargeResults(redis: Redis, owner: Owner, outcome: Outcome): Promise<Outcome> {
  const { steps } = outcome;
  if (steps.every(({ result }) => isSmall(result))) return outcome;
  return { steps: await Promise.all(steps.map((step, index) => storeLargeStep(redis, owner, index, step))) };
}

/** Stores the result of one step if it is large, in one round trip. Returns the outcome for the job. */
export async function storeLargeStep(
  redis: Redis,
  owner: Owner,
  index: number,
  step: StepOutcome,
): Promise<StepOutcome> {
  const keys = keysOf(redis);
  const { result, ...rest } = step;
  if (isSmall(result)) return step;
  const json = JSON.stringify(result);
  if (json.length <= MAX_INLINE) return step;
  const isText = typeof result === 'string';
  const text = isText ? result : json;
  const at = `${owner.attempt}/${index}`;
  const pieces = Array.from({ length: Math.ceil(text.length / PIECE) }, (_, n) => [
    `${at}/${n}`,
    // As JSON: a piece may begin or end within a surrogate pair, and UTF-8 cannot encode half a pair.
    JSON.stringify(text.slice(n * PIECE, (n + 1) * PIECE)),
  ]);
  await redis.hset(keys.results(owner.id), ...pieces.flat());
  const shown = Math.min(Math.max(BEGINNING, owner.maxResultChars ?? 0), PIECE);
  return { ...rest, large: { beginning: wellFormed(text.slice(0, shown)), total: text.length, isText, at } };
}

/** Whether the JSON of a value is short, as far as that is known without making it. A character becomes at most six. */
function isSmall(value: StepOutcome['result']): boolean {
  if (typeof value === 'string') return value.length < MAX_INLINE / 6 - 1;
  return value === undefined || value === null || typeof value !== 'object';
}

/** Reads a range of characters of the text. Reads only the pieces that it needs. */
export async function readLargePart(
  redis: Redis,
  id: string,
  { at, total }: LargeResult,
  from: number,
  to: number,
): Promise<string> {
  const keys = keysOf(redis);
  const end = Math.min(to, total);
  if (from >= end) return '';
  const first = Math.floor(from / PIECE);
  const fields = Array.from({ length: Math.ceil(end / PIECE) - first }, (_, n) => `${at}/${first + n}`);
  const pieces = await redis.hmget(keys.results(id), ...fields);
  const text = pieces.map((piece) => (piece === null ? '' : (JSON.parse(piece) as string))).join('');
  return text.slice(from - first * PIECE, end - first * PIECE);
}

/** Reads the whole result. */
export async function readLarge(redis: Redis, id: string, large: LargeResult): Promise<Json> {
  const text = await readLargePart(redis, id, large, 0, large.total);
  return large.isText ? text : (JSON.parse(text) as Json);
}

/** The outcome of a step with its whole result. */
export async function wholeStep(redis: Redis, id: string, step: StepOutcome): Promise<StepOutcome> {
  const { large, ...rest } = step;
  return large ? { ...rest, result: await readLarge(redis, id, large) } : step;
}

/** Removes half a surrogate pair at the end. */
function wellFormed(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
