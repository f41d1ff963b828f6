import { Redis } from 'ioredis';
import { requireCheckedBullmq } from '../bullmq/version.js';

/** Redis cannot be used. `hint` says that the message is enough for people and the stack is not needed. */
class RedisAwayError extends Error {
  readonly hint = true;
}

/** @throws RedisAwayError with the address (never the password), the reason, and a fix */
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
    const cause = error instanceof Error && /^(NOAUTH|WRONGPASS|LOADING)/.test(error.message) ? error.message : reason;
    throw new RedisAwayError(
      `The Redis at ${hostname}:${port || '6379'} cannot be used: ${cause}.\n` +
        'Start it, or fix ERRAND_REDIS_URL. `./errand up` starts its own Redis.',
    );
  } finally {
    redis.disconnect();
  }
}
