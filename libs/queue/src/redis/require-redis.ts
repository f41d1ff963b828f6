import { Redis } from 'ioredis';
import { requireCheckedBullmq } from '../bullmq/version.js';

/** There is no Redis where one should be. `hint`: the message is for people, no stack is needed. */
export class RedisAwayError extends Error {
  readonly hint = true;
}

/** @throws RedisAwayError that names the address (never the password), why it does not answer, and what to do */
export async function requireRedis(url: string): Promise<void> {
  requireCheckedBullmq();
  const { hostname, port } = new URL(url);
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 5_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason = 'it did not answer within 5 s';
  redis.on('error', (error: Error) => (reason = error.message || (error as { code?: string }).code || reason));
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    const said = error instanceof Error && /^(NOAUTH|WRONGPASS|LOADING)/.test(error.message) ? error.message : reason;
    throw new RedisAwayError(
      `The Redis at ${hostname}:${port || '6379'} cannot be used: ${said}.\n` +
        'Start it, or mend ERRAND_REDIS_URL; `./errand up` brings one of its own.',
    );
  } finally {
    redis.disconnect();
  }
}
