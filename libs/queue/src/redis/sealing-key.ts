import { randomBytes } from 'node:crypto';
import type { Queues } from './connect.js';
import { keysOf } from './names.js';

const BYTES = 32;

/**
 * The key that seals what clients keep for Errand and send back. All processes of a Redis share it; the first call makes it. 32 bytes.
 * @throws Error if Redis does not answer
 */
export async function readSealingKey({ redis }: Queues): Promise<Uint8Array> {
  const keys = keysOf(redis);
  const made = randomBytes(BYTES).toString('base64');
  const known = await redis.get(keys.sealingKey);
  if (known === null) await redis.set(keys.sealingKey, made, 'NX');
  return Buffer.from(known ?? (await redis.get(keys.sealingKey)) ?? made, 'base64');
}
