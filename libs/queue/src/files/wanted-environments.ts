import type { Queues } from '../redis/connect.js';
import { keys } from '../redis/names.js';
import type { NotificationHub } from '../suspend/notifications.js';

/** As long as a definition is kept. */
const KEEP_SECONDS = 90 * 24 * 3600;
/** On the channel of news, in the place of an invocation's id. */
const BELL = 'wanted-environments';

/** Tells script-runners, now and those that start later, whose dependencies will be needed: the digests of stored definitions. */
export async function wantEnvironments({ redis }: Queues, digests: readonly string[]): Promise<void> {
  if (digests.length === 0) return;
  const pipeline = redis.pipeline();
  pipeline.sadd(keys.wantedEnvironments, ...digests);
  pipeline.expire(keys.wantedEnvironments, KEEP_SECONDS);
  pipeline.publish(keys.notifications, BELL);
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
}

/** Takes back what nobody can need any more. */
export async function removeEnvironment({ redis }: Queues, digest: string): Promise<void> {
  await redis.srem(keys.wantedEnvironments, digest);
}

/** Every digest that is wanted, each once: those known already, then those that are told; ends when `signal` aborts. */
export async function* wantedEnvironments(
  { redis }: Queues,
  notifications: NotificationHub,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const given = new Set<string>();
  const subscription = notifications.listen(BELL);
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
