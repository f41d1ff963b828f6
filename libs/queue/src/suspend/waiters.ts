import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { keys, QUEUE_NAMES } from '../redis/names.js';
import { loadScript } from '../redis/lua-script.js';

const RESUME_WAITERS = loadScript<null>(join(__dirname, 'resume-waiters-now.lua'));

const ADD_WAITER = loadScript<0 | 1>(join(__dirname, 'add-waiter.lua'));

/** What wakes those who wait for this invocation. */
export function waiterKeys(id: string): string[] {
  return [keys.waiters(id), keys.set('invocations', 'delayed'), keys.set('invocations', 'marker')];
}

export function waiterArgs(): (string | number)[] {
  return [Date.now(), keys.job('invocations', '')];
}

/**
 * Notes that `waiter`, which is about to park, is to be woken when the invocation `id` ends. Whatever ends it does that in the same
 * step. Where it has ended already nothing is noted: the waiter looks once more before it parks.
 * @param jobs where its job may be: the keys
 */
export async function addWaiter(
  { redis }: { redis: Redis },
  id: string,
  waiter: string,
  jobs: readonly string[] = QUEUE_NAMES.map((queue) => keys.job(queue, id)),
): Promise<void> {
  await ADD_WAITER.run(redis, [keys.waiters(id), ...jobs], [waiter]);
}

/** Wakes those who wait for the invocation though it has not ended: a step of it has. */
export async function resumeWaiters({ redis }: { redis: Redis }, id: string): Promise<void> {
  await RESUME_WAITERS.run(redis, waiterKeys(id), waiterArgs());
}
