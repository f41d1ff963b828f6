import { parseRedisAddress, showRedisAddress, showRedisNode } from '@errand/contracts';
import { requireCheckedBullmq } from '../bullmq/version.js';
import { NoPrimaryError } from './find-primary.js';
import { openConnection, type PrimaryRedis } from './primary-redis.js';

const START_MS = 5_000;
const USUAL_FIX = 'Start it, or fix ERRAND_REDIS_URL. `./errand up` starts its own Redis.';

/** Redis cannot be used. `hint` says that the message is enough for people and the stack is not needed. */
class RedisAwayError extends Error {
  readonly hint = true;
}

/**
 * Checks at boot that the primary can be reached and used.
 * @throws RedisAwayError with the address (never the password), the reason, and a fix
 */
export async function requireRedis(url: string): Promise<void> {
  requireCheckedBullmq();
  const address = parseRedisAddress(url);
  const redis = openConnection(url, 'commands');
  const errors: Error[] = [];
  redis.on('error', (error: Error) => void errors.push(error));
  try {
    if (await isReady(redis)) return;
    const error = errors.findLast(({ message }) => message !== '') ?? errors.at(-1);
    const reason = reasonOf(redis, error) ?? `it did not answer within ${START_MS / 1_000} s`;
    throw new RedisAwayError(
      `The Redis at ${showRedisAddress(address)} cannot be used: ${reason}.\n${fixOf(redis, error)}`,
    );
  } finally {
    redis.disconnect();
  }
}

/** The first failed attempt of a plain address decides. A node of a Cluster, and a failover in progress, need some attempts. */
async function isReady(redis: PrimaryRedis): Promise<boolean> {
  const end = Date.now() + START_MS;
  while (redis.status !== 'ready' && Date.now() < end) {
    const event = await nextEvent(redis, end - Date.now());
    if (event === 'close' && !redis.primary.hasSeveral) break;
    if (redis.primary.isMisaddressed) break;
  }
  return redis.status === 'ready';
}

/** Resolves at the next end of an attempt to connect, or after `ms`. */
function nextEvent(redis: PrimaryRedis, ms: number): Promise<'ready' | 'close' | 'late'> {
  return new Promise((resolve) => {
    const end = (event: 'ready' | 'close' | 'late') => {
      clearTimeout(timer);
      redis.off('ready', onReady).off('close', onClose);
      resolve(event);
    };
    const [onReady, onClose] = [() => end('ready'), () => end('close')];
    const timer = setTimeout(() => end('late'), ms);
    redis.once('ready', onReady).once('close', onClose);
  });
}

function reasonOf(redis: PrimaryRedis, error: Error | undefined): string | undefined {
  if (error instanceof NoPrimaryError) return error.message;
  return redis.primary.problem ?? (error && (error.message || (error as { code?: string }).code));
}

function fixOf({ primary }: PrimaryRedis, error: Error | undefined): string {
  if (error instanceof NoPrimaryError || primary.upstream === undefined) return USUAL_FIX;
  const { host, port } = primary.upstream;
  return `Its primary is ${showRedisNode({ host, port })}: name that one, or its Sentinels as redis+sentinel://host:26379/<master>.`;
}
