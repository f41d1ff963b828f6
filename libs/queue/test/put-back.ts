import { moveStalledJobsToWait } from 'bullmq/dist/cjs/scripts/index.js';
import type { Redis } from 'ioredis';
import { keys, PREFIX } from '../src/redis/names.js';

const QUEUE = 'invocations';

/** Runs BullMQ's stalled check for one job alone. A job without a lock waits again. */
export async function putBack(redis: Redis, id: string): Promise<void> {
  const [marked, checked] = [`${PREFIX}:test:stalled:${id}`, `${PREFIX}:test:check:${id}`];
  await redis.sadd(marked, id);
  const sets = (['wait', 'active'] as const).map((set) => keys.set(QUEUE, set));
  const others = ['meta', 'paused', 'marker', 'events', 'repeat'].map((name) => keys.job(QUEUE, name));
  const names = [marked, ...sets, checked, ...others];
  await redis.eval(moveStalledJobsToWait.content, names.length, ...names, 1, keys.job(QUEUE, ''), Date.now(), 1);
  await redis.del(marked, checked);
}
