import type { Json } from '@errand/contracts';
import type { Redis } from 'ioredis';
import { keys } from '../redis/names.js';
import type { LargeResult, Outcome, StepOutcome } from './record.js';

/** A result whose JSON is longer lies beside the job. */
export const LARGEST_INSIDE = 64 * 1_024;
/** It lies there in pieces of so many characters, so that a part of it is read without the rest. */
const PIECE = 64 * 1_024;
/** What the job keeps of it, where the caller wants no more in the words for a model. */
const BEGINNING = 8_000;

/** Whose results are laid aside, by which attempt. */
interface Owner {
  id: string;
  attempt: number;
  /** The most characters of a result that the words for a model may have. */
  maxResultChars?: number | undefined;
}

/** The outcome of a job with its large results laid beside it. They are kept until the invocation is forgotten. */
export async function storeLargeResults(redis: Redis, owner: Owner, { steps }: Outcome): Promise<Outcome> {
  return { steps: await Promise.all(steps.map((step, index) => storeLargeStep(redis, owner, index, step))) };
}

/** A step's outcome with its result laid beside the job, where that is large: one round trip; none for any other. */
export async function storeLargeStep(
  redis: Redis,
  owner: Owner,
  index: number,
  step: StepOutcome,
): Promise<StepOutcome> {
  const { result, ...rest } = step;
  if (result === undefined || typeof result === 'number' || typeof result === 'boolean') return step;
  const json = JSON.stringify(result);
  if (json.length <= LARGEST_INSIDE) return step;
  const isText = typeof result === 'string';
  const text = isText ? result : json;
  const at = `${owner.attempt}/${index}`;
  const pieces = Array.from({ length: Math.ceil(text.length / PIECE) }, (_, n) => [
    `${at}/${n}`,
    // As JSON: a piece may begin or end within a pair of surrogates, which UTF-8 has no bytes for.
    JSON.stringify(text.slice(n * PIECE, (n + 1) * PIECE)),
  ]);
  await redis.hset(keys.results(owner.id), ...pieces.flat());
  const shown = Math.min(Math.max(BEGINNING, owner.maxResultChars ?? 0), PIECE);
  return { ...rest, large: { beginning: wellFormed(text.slice(0, shown)), total: text.length, isText, at } };
}

/** Characters of its text from one place up to another; only their pieces are read. */
export async function readLargePart(
  redis: Redis,
  id: string,
  { at, total }: LargeResult,
  from: number,
  to: number,
): Promise<string> {
  const end = Math.min(to, total);
  if (from >= end) return '';
  const first = Math.floor(from / PIECE);
  const fields = Array.from({ length: Math.ceil(end / PIECE) - first }, (_, n) => `${at}/${first + n}`);
  const pieces = await redis.hmget(keys.results(id), ...fields);
  const text = pieces.map((piece) => (piece === null ? '' : (JSON.parse(piece) as string))).join('');
  return text.slice(from - first * PIECE, end - first * PIECE);
}

/** The whole of it. */
export async function readLarge(redis: Redis, id: string, large: LargeResult): Promise<Json> {
  const text = await readLargePart(redis, id, large, 0, large.total);
  return large.isText ? text : (JSON.parse(text) as Json);
}

/** The outcome of a step with its result, wherever that lies. */
export async function wholeStep(redis: Redis, id: string, step: StepOutcome): Promise<StepOutcome> {
  const { large, ...rest } = step;
  return large ? { ...rest, result: await readLarge(redis, id, large) } : step;
}

/** Without half a character at the end. */
function wellFormed(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
