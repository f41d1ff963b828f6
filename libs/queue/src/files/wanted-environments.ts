import { publishCommand } from '../redis/channels.js';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { WANTED_ENVIRONMENTS } from '../redis/notification-names.js';
import type { NotificationHub } from '../suspend/notifications.js';

/** Definitions expire after the same time. */
const KEEP_SECONDS = 90 * 24 * 3600;

/** Asks all script-runners, also those that start later, to prepare the dependencies of these stored definitions. */
export async function wantEnvironments({ redis }: Queues, digests: readonly string[]): Promise<void> {
  const keys = keysOf(redis);
  if (digests.length === 0) return;
  const publish = await publishCommand(redis);
  const pipeline = redis.pipeline();
  pipeline.sadd(keys.wantedEnvironments, ...digests);
  pipeline.expire(keys.wantedEnvironments, KEEP_SECONDS);
  pipeline[publish](keys.controlNotifications, WANTED_ENVIRONMENTS);
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
}

/** Withdraws the request for a definition that no runner can prepare any more. */
export async function removeEnvironment({ redis }: Queues, digest: string): Promise<void> {
  const keys = keysOf(redis);
  await redis.srem(keys.wantedEnvironments, digest);
}

/** Yields the digest of each requested definition once, also of later requests. Ends when `signal` aborts. */
export async function* wantedEnvironments(
  { redis }: Queues,
  notifications: NotificationHub,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const keys = keysOf(redis);
  const given = new Set<string>();
  const subscription = notifications.listen(WANTED_ENVIRONMENTS);
  try {
    do {
      for (const digest of await redis.smembers(keys.wantedEnvironments)) {
        if (given.has(digest) || signal.aborted) continue;
        given.add(digest);
        yield digest;
      }
    } while (await subscription.next(signal));
  } finally {
    subscription.close();
  }
}
