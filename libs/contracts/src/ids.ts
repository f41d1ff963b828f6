import { createHash, randomBytes } from 'node:crypto';

/** Crockford's base 32, in lower case. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARS = 10;

function base32(value: number, length: number): string {
  let text = '';
  for (let n = 0; n < length; n++) {
    text = ALPHABET[value % 32]! + text;
    value = Math.floor(value / 32);
  }
  return text;
}

const POOL_BYTES = 4_096;

/** A request for random bytes costs more than the rest of an id. One request therefore serves many ids. */
let pool = '';
let taken = 0;

/** Each character has five random bits. */
function randomText(length: number): string {
  if (taken + length > pool.length) {
    const letters = randomBytes(POOL_BYTES).map((byte) => ALPHABET.charCodeAt(byte & 31));
    [pool, taken] = [Buffer.from(letters.buffer, letters.byteOffset, letters.length).toString('latin1'), 0];
  }
  return pool.slice(taken, (taken += length));
}

const TURN_CHARS = 3;
const RANDOM_CHARS = 26;
let lastMs = 0;
let turn = 0;

/** The number of earlier ids of this process in the same millisecond. It keeps the ids of a batch in order. */
function turnOf(ms: number): number {
  turn = ms === lastMs ? Math.min(turn + 1, 32 ** TURN_CHARS - 1) : 0;
  lastMs = ms;
  return turn;
}

/**
 * A new invocation id: `inv_`, 10 characters of time (ms), 3 characters of a count within that millisecond, and 26 random characters
 * (130 bits), in Crockford base 32 as in ULID.
 * Ids of one process sort by order of creation. Ids of several processes sort by time. They cannot be guessed. BullMQ accepts them as
 * job ids, because they contain no `:` and are not integers.
 */
export function newInvocationId(now: number = Date.now()): string {
  return newId('inv_', now);
}

/**
 * The id of an invocation that follows from `seed`, such as a turn and its round: the same seed and time (ms) always give the same id, and
 * nobody who does not know the seed can guess it.
 */
export function derivedInvocationId(seed: string, ms: number): string {
  const bytes = createHash('sha256').update(seed).digest();
  let text = '';
  for (let n = 0; n < RANDOM_CHARS; n++) text += ALPHABET[(bytes[n] ?? 0) & 31];
  return `inv_${timePrefix(ms)}${base32(0, TURN_CHARS)}${text}`;
}

/** A new id of a batch: `bat_`, and the rest like an invocation id. */
export function newBatchId(now: number = Date.now()): string {
  return newId('bat_', now);
}

/** A new id of a refusal: `ref_`, and the rest like an invocation id. */
export function newRefusalId(now: number = Date.now()): string {
  return newId('ref_', now);
}

function newId(prefix: string, now: number): string {
  return `${prefix}${timePrefix(now)}${base32(turnOf(now), TURN_CHARS)}${randomText(RANDOM_CHARS)}`;
}

/**
 * The first characters after `inv_` of an id from that time (ms). Older ids sort before this prefix, and younger ids after it.
 */
export function timePrefix(ms: number): string {
  return base32(ms, TIME_CHARS);
}

/** The time of an id of an invocation or batch, in ms; undefined if the id contains no time. */
export function timeOfInvocationId(id: string): number | undefined {
  let ms = 0;
  for (let n = 4; n < 4 + TIME_CHARS; n++) {
    const digit = ALPHABET.indexOf(id[n] ?? '-');
    if (digit === -1) return undefined;
    ms = ms * 32 + digit;
  }
  return ms;
}

/** The form of an invocation id. */
export const INVOCATION_ID = /^inv_[0-9a-z]{20,64}$/;
/** The form of a batch id. */
export const BATCH_ID = /^bat_[0-9a-z]{20,64}$/;

/** The form of the id of a refusal. */
export const REFUSAL_ID = /^ref_[0-9a-z]{20,64}$/;

/** Whether a text has the form of the id of a refusal. */
export function isRefusalId(text: string): boolean {
  return REFUSAL_ID.test(text);
}

/** Whether a text has the form of an invocation id. The invocation may not exist. */
export function isInvocationId(text: string): boolean {
  return INVOCATION_ID.test(text);
}

/** Whether a text has the form of a batch id. The batch may not exist. */
export function isBatchId(text: string): boolean {
  return BATCH_ID.test(text);
}
