import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARS = 10;

function base32(value: bigint, length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) {
    text = ALPHABET[Number(value & 31n)] + text;
    value >>= 5n;
  }
  return text;
}

/** Asking the system for random bytes costs more than all the rest of an id: they are fetched for many at a time. */
let pool = Buffer.alloc(0);

function randomHex(bytes: number): string {
  if (pool.length < bytes) pool = randomBytes(4096);
  const taken = pool.subarray(0, bytes).toString('hex');
  pool = pool.subarray(bytes);
  return taken;
}

const TURN_CHARS = 3;
let lastMs = 0;
let turn = 0;

/** How many ids this process has made in that millisecond: those of a batch sort as they came. */
function turnOf(ms: number): number {
  turn = ms === lastMs ? Math.min(turn + 1, 32 ** TURN_CHARS - 1) : 0;
  lastMs = ms;
  return turn;
}

/**
 * A new invocation id: `inv_` + 10 characters of time (ms) + 3 of a count within it + 26 of randomness (128 bits), Crockford base 32
 * as in ULID. Ids of a process sort in the order in which they were made, others by time; they cannot be guessed; BullMQ takes them
 * as job ids (no `:`, no integer).
 */
export function newInvocationId(now: number = Date.now()): string {
  const order = timePrefix(now) + base32(BigInt(turnOf(now)), TURN_CHARS);
  return `inv_${order}${base32(BigInt(`0x${randomHex(16)}`), 26)}`;
}

/**
 * The characters with which an id made at that time (ms) begins, behind `inv_`: ids made before it sort before it, later ones after.
 */
export function timePrefix(ms: number): string {
  return base32(BigInt(ms), TIME_CHARS);
}

/** When an id was made, in ms; undefined for one that carries no time. */
export function timeOfInvocationId(id: string): number | undefined {
  const digits = Array.from(id.slice(4, 4 + TIME_CHARS)).map((char) => ALPHABET.indexOf(char));
  if (digits.length < TIME_CHARS || digits.includes(-1)) return undefined;
  return digits.reduce((ms, digit) => ms * 32 + digit, 0);
}

const SHAPE = /^inv_[0-9a-z]{20,64}$/;

/** Whether a text has the shape of an invocation id; says nothing of whether it exists. */
export function isInvocationId(text: string): boolean {
  return SHAPE.test(text);
}
