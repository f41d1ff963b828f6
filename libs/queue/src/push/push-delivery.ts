import { join } from 'node:path';
import { isFinal, type Status } from '@errand/contracts';
import type { Redis } from 'ioredis';
import { requireHeld } from '../bullmq/held-lock.js';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { FIELD } from '../redis/job-fields.js';
import { keysOf } from '../redis/names.js';
import { DELIVERIES, QUEUE_NAMES } from '../redis/queue-names.js';

/*
 * The states of a push delivery, which is one job:
 *
 * - due: it has a status to send. A worker takes it as it takes any delivery.
 * - delayed, after a failed attempt: the next one follows by the schedule. Later statuses queue up behind the failed one.
 * - delayed and suspended: every status was sent. The script of the next status makes it due.
 * - ended: the final status was delivered, the schedule ended, the receiver refused, or the configuration was removed.
 *
 * One job sends one status at a time, so the order of the messages is the order of the statuses.
 */

/** The status that a push delivery has to send now. */
export interface PushedStatus {
  status: Status;
  /** ISO 8601. */
  at: string;
  /** The number of the message, from 0. */
  number: number;
}

/** What a push delivery does next: send a status, wait for one, or end. */
export type PushTurn = PushedStatus | 'wait' | 'end';

const SETTLE = loadScript<-1 | 0 | 1>(join(__dirname, 'settle-push.lua'));

/** Reads what a taken push delivery has to do. It ends if its configuration was removed, or if its invocation is not stored any more. */
export async function readPushTurn({ redis }: Queues, id: string, invocationId: string): Promise<PushTurn> {
  const keys = keysOf(redis);
  const job = keys.job(DELIVERIES, id);
  const [[statuses, sent, stopped], ...stored] = await Promise.all([
    redis.hmget(job, FIELD.statuses, FIELD.sent, FIELD.stopped),
    ...QUEUE_NAMES.map((queue) => redis.hexists(keys.job(queue, invocationId), 'timestamp')),
  ]);
  if (stopped) return 'end';
  const [line = ''] = (statuses ?? '').split('\n', 1);
  const [status, ms] = line.split(' ');
  if (!status) return stored.includes(1) ? 'wait' : 'end';
  return { status: status as Status, at: new Date(Number(ms)).toISOString(), number: Number(sent ?? 0) };
}

/** Whether nothing follows this status. */
export function isLast({ status }: PushedStatus): boolean {
  return isFinal(status);
}

/**
 * Puts a running push delivery back: due if a status is left, else suspended until the next one, for `idleMs` at most.
 * @param wasSent removes the first status, and begins the schedule of attempts again
 * @throws SupersededError if another process has the delivery; LockLapsedError
 */
export async function settlePush(
  redis: Redis,
  { id, token }: { id: string; token: string },
  { wasSent, idleMs }: { wasSent: boolean; idleMs: number },
): Promise<void> {
  const keys = keysOf(redis);
  const sets = (['stalled', 'active', 'delayed', 'marker'] as const).map((set) => keys.set(DELIVERIES, set));
  const now = Date.now();
  const reply = await SETTLE.run(
    redis,
    [keys.job(DELIVERIES, id), keys.lock(DELIVERIES, id), ...sets],
    [id, token, now, now + idleMs, wasSent ? '1' : '0'],
  );
  requireHeld(id, reply);
}
