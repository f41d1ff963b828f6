import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Queues } from '../redis/connect.js';
import { changedKey, memberOf, statusSetKey, SUSPENDED } from '../state/search-index.js';
import { requireHeld } from '../bullmq/held-lock.js';
import { keysOf, dataKeysOf } from '../redis/names.js';
import type { WorkQueue } from '../redis/queue-names.js';
import { loadScript } from '../redis/lua-script.js';
import { openLife } from '../state/open-life.js';
import type { InvocationRecord } from '../state/record.js';
import type { Fields } from '../consume/journal.js';
import { askedQuestion } from './asked-question.js';
import { waitsOf } from './wait-index.js';
import { waiterKeys } from './waiters.js';

/** The delay of a job without a deadline, so long that only an answer wakes it. BullMQ's scores are exact until 2039. */
const UNTIL_ANSWERED_MS = 10 * 365 * 86_400_000;
const DEFINITION_SPARE_SECONDS = 90 * 86_400;

/** Thrown by a handler to suspend its job until `until` (ms since 1970) or until an answer comes. */
export class SuspendJob extends Error {
  constructor(
    readonly until: number | undefined,
    readonly waitsFor: 'time' | 'answer',
  ) {
    super('The job is suspended');
    this.name = 'SuspendJob';
  }
}

const SUSPEND = loadScript<-1 | 0 | 1>(join(__dirname, 'suspend-job.lua'));

/**
 * Moves a running job to the delayed jobs. A job that waits for an answer stores what it asks for. The calls of a turn hold their first events
 * in their job, so that a turn that waits for a front end takes little memory.
 * @throws SupersededError if another process has the job; LockLapsedError
 */
export async function suspendJob(
  redis: Redis,
  queue: WorkQueue,
  { id, token, record: { tenant, parentTurn } }: { id: string; token: string; record: InvocationRecord },
  { until, waitsFor }: SuspendJob,
): Promise<void> {
  const keys = keysOf(redis);
  const state = waitsFor === 'answer' ? await readState(redis, id) : new Map<string, string>();
  const question = askedQuestion(state);
  const now = Date.now();
  const sets = (['stalled', 'active', 'delayed', 'marker'] as const).map((set) => keys.set(queue, set));
  const suspendedSet = statusSetKey(keys, tenant, SUSPENDED);
  const others = [`waiting:${queue}` as const, 'later' as const].map((set) => statusSetKey(keys, tenant, set));
  const reply = await SUSPEND.run(
    redis,
    [
      keys.job(queue, id),
      keys.lock(queue, id),
      ...sets,
      keys.notifications,
      suspendedSet,
      keys.events(id),
      changedKey(keys, tenant),
      keys.changeClock,
      ...waiterKeys(keys, id),
      ...others,
    ],
    [
      id,
      token,
      now,
      until ?? now + UNTIL_ANSWERED_MS,
      waitsFor,
      memberOf(id),
      new Date(now).toISOString(),
      question ? JSON.stringify(question) : '',
      keys.job('invocations', ''),
      parentTurn ? 1 : 0,
      waitsOf(keys, { id, tenant }, state),
    ],
  );
  requireHeld(id, reply);
}

async function readState(redis: Redis, id: string): Promise<Fields> {
  return new Map(Object.entries(await redis.hgetall(keysOf(redis).state(id))));
}

/** Extends the expiry of all data of a suspended or delayed invocation: until it continues, plus that of an open invocation. */
export async function extendRetention(
  queues: Queues,
  id: string,
  digests: readonly string[],
  until: number | undefined,
): Promise<void> {
  const keys = keysOf(queues.redis);
  const now = Date.now();
  const seconds = Math.ceil(Math.max(0, (until ?? now + UNTIL_ANSWERED_MS) - now) / 1_000);
  const definitions = digests.map((digest) => keys.definition(digest));
  await Promise.all([
    extendExpiry(queues.redis, dataKeysOf(keys, id), seconds + openLife(queues.retention)),
    extendExpiry(queues.redis, definitions, seconds + DEFINITION_SPARE_SECONDS),
  ]);
}

/** Sets the expiry of an open invocation again after `extendRetention`. The cleaner removes the data earlier, with the job. */
export async function resetRetention(queues: Queues, id: string): Promise<void> {
  const keys = keysOf(queues.redis);
  const pipeline = queues.redis.pipeline();
  for (const key of dataKeysOf(keys, id)) pipeline.expire(key, openLife(queues.retention));
  await pipeline.exec();
}

const KEEP_LONGER = loadScript<null>(join(__dirname, 'keep-longer.lua'));

/** Makes the existing keys among these expire in `seconds` at the earliest. */
export async function extendExpiry(redis: Redis, names: readonly string[], seconds: number): Promise<void> {
  await KEEP_LONGER.run(redis, names, [seconds]);
}
