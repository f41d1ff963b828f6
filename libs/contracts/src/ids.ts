import { randomBytes } from 'node:crypto';

/** Crockford's, in lower case. */
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

/** Asking the system for random bytes costs more than all the rest of an id: they are fetched for many at a time. */
let pool = Buffer.alloc(0);
let taken = 0;

/** Five random bits a character. */
function randomText(length: number): string {
  if (taken + length > pool.length) [pool, taken] = [randomBytes(4_096), 0];
  let text = '';
  for (const end = taken + length; taken < end; taken++) text += ALPHABET[pool[taken]! & 31];
  return text;
}

const TURN_CHARS = 3;
const RANDOM_CHARS = 26;
let lastMs = 0;
let turn = 0;

/** How many ids this process has made in that millisecond: those of a batch sort as they came. */
function turnOf(ms: number): number {
  turn = ms === lastMs ? Math.min(turn + 1, 32 ** TURN_CHARS - 1) : 0;
  lastMs = ms;
  return turn;
}

/**
 * A new invocation id: `inv_` + 10 characters of time (ms) + 3 of a count within it + 26 of randomness (130 bits), Crockford base 32
 * as in ULID. Ids of a process sort in the order in which they were made, others by time; they cannot be guessed; BullMQ takes them
 * as job ids (no `:`, no integer).
 */
export function newInvocationId(now: number = Date.now()): string {
  return `inv_${timePrefix(now)}${base32(turnOf(now), TURN_CHARS)}${randomText(RANDOM_CHARS)}`;
}

/**
 * The characters with which an id made at that time (ms) begins, behind `inv_`: ids made before it sort before it, later ones after.
 */
export function timePrefix(ms: number): string {
  return base32(ms, TIME_CHARS);
}

/** When an id was made, in ms; undefined for one that carries no time. */
export function timeOfInvocationId(id: string): number | undefined {
  let ms = 0;
  for (let n = 4; n < 4 + TIME_CHARS; n++) {
    const digit = ALPHABET.indexOf(id[n] ?? '-');
    if (digit === -1) return undefined;
    ms = ms * 32 + digit;
  }
  return ms;
}

const SHAPE = /^inv_[0-9a-z]{20,64}$/;

/** Whether a text has the shape of an invocation id; says nothing of whether it exists. */
export function isInvocationId(text: string): boolean {
  return SHAPE.test(text);
}
