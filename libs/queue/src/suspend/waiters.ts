import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { keysOf, type Keys } from '../redis/names.js';
import { QUEUE_NAMES } from '../redis/queue-names.js';
import { loadScript } from '../redis/lua-script.js';

const RESUME_WAITERS = loadScript<null>(join(__dirname, 'resume-waiters-now.lua'));
const RESUME_LEFT = loadScript<0 | 1>(join(__dirname, 'resume-left-waiters.lua'), { constants: { turnMs: 90 } });
const ADD_WAITER = loadScript<0 | 1>(join(__dirname, 'add-waiter.lua'));

/**
 * Before a waiter that is in another shard than the invocation that it waits for: `>`, its id, a space, and the id of that invocation.
 * `resume-waiters.lua` knows it, too.
 */
export const FAR_WAITER = '>';

/** The waiter of such an entry, with FAR_WAITER or without, or of an entry of the same shard. */
export function waiterIn(entry: string): string {
  const [waiter = ''] = entry.replace(FAR_WAITER, '').split(' ');
  return waiter;
}

/** KEYS of the scripts that resume the waiters of an invocation. */
export function waiterKeys(keys: Keys, id: string): string[] {
  return [keys.waiters(id), keys.set('invocations', 'delayed'), keys.set('invocations', 'marker')];
}

/** ARGV of the scripts that resume waiters: now in ms, and the prefix of the waiters' jobs. */
export function waiterArgs(keys: Keys): (string | number)[] {
  return [Date.now(), keys.job('invocations', '')];
}

/**
 * Registers `waiter`, which is about to suspend, to be resumed at the end of `id`. The script that ends a job resumes its waiters. If the
 * job has ended already, nothing is stored: the waiter must read its state once more before it suspends.
 * @param jobs the keys that the job may have
 */
export async function addWaiter(
  { redis }: { redis: Redis },
  id: string,
  waiter: string,
  jobs: readonly string[] = QUEUE_NAMES.map((queue) => keysOf(redis).job(queue, id)),
): Promise<void> {
  const keys = keysOf(redis);
  await ADD_WAITER.run(redis, [keys.waiters(id), ...jobs], [waiter]);
}

/** Resumes the waiters of a job that has not ended, for example because a runner has taken it. A sweep resumes those above 500. */
export async function resumeWaiters({ redis }: { redis: Redis }, id: string): Promise<void> {
  const keys = keysOf(redis);
  await RESUME_WAITERS.run(redis, waiterKeys(keys, id), waiterArgs(keys));
}

/**
 * Resumes up to 500 of the waiters that scripts have left, because one run of a script resumes 500 at most. Returns whether more are left.
 * Within 90 ms, only one process resumes any, and the others get `false`.
 */
export async function resumeLeftWaiters({ redis }: { redis: Redis }): Promise<boolean> {
  const keys = keysOf(redis);
  const sets = [keys.set('invocations', 'delayed'), keys.set('invocations', 'marker')];
  return (await RESUME_LEFT.run(redis, sets, waiterArgs(keys))) === 1;
}
