import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

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

/**
 * A new invocation id: `inv_` + 10 characters of time (ms) + 26 of randomness (128 bits), Crockford base 32 as in ULID.
 * Ids sort by time of creation; they cannot be guessed; BullMQ takes them as job ids (no `:`, no integer).
 */
export function newInvocationId(now: number = Date.now()): string {
  return `inv_${base32(BigInt(now), 10)}${base32(BigInt(`0x${randomHex(16)}`), 26)}`;
}

const SHAPE = /^inv_[0-9a-z]{20,64}$/;

/** Whether a text has the shape of an invocation id; says nothing of whether it exists. */
export function isInvocationId(text: string): boolean {
  return SHAPE.test(text);
}
