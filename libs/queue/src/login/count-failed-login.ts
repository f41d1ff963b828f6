import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';

/** How many failures of a client a window may have, and how long it is (ms). */
interface FailureBounds {
  most: number;
  windowMs: number;
}

/**
 * Counts a failed login of a client for all API processes. One round trip.
 * @returns after how many seconds the client may fail again, if it has failed too often
 * @throws any error of Redis
 */
export async function countFailedLogin(
  { redis }: Queues,
  client: string,
  { most, windowMs }: FailureBounds,
): Promise<number | undefined> {
  const key = keysOf(redis).failedLogins(client);
  const results = await redis.multi().set(key, 0, 'PX', windowMs, 'NX').incr(key).pttl(key).exec();
  const [count, leftMs] = [Number(results?.[1]?.[1] ?? 0), Number(results?.[2]?.[1] ?? 0)];
  return count > most ? Math.max(1, Math.ceil(leftMs / 1_000)) : undefined;
}
