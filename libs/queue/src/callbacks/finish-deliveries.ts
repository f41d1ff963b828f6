import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { RunEnd } from '../bullmq/end-by-bullmq.js';
import {
  runCommit,
  type Commit,
  type Committed,
  type CommitReply,
  type LeanEnd,
  type Taker,
} from '../bullmq/finish-and-take.js';
import { leanValue } from '../bullmq/lean-ends.js';
import type { TakenJob } from '../bullmq/taken-job.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import type { DeliveryRecord } from '../state/record.js';
import type { ReceiverLimits } from './receiver-limits.js';

/** The end of a delivery that was sent or had nothing to send. */
export interface DeliveryEnd extends LeanEnd {
  receiver: string;
  /** The attempt, for the log of the delivery; '' for none. */
  line: string;
}

const FINISH = loadScript<CommitReply>(join(__dirname, 'finish-deliveries.lua'));

/** The receiver of a delivery: host and port. */
export function receiverOf({ callback }: DeliveryRecord): string {
  return new URL(callback.url).host;
}

/** The end of a delivery for `finishDeliveries`, or undefined if it needs BullMQ's script, as each failure does. */
export function deliveryEndOf(job: TakenJob<DeliveryRecord>, end: RunEnd): DeliveryEnd | undefined {
  const value = 'result' in end ? leanValue(job, end) : undefined;
  if (value === undefined) return undefined;
  const { id, token, attemptsStarted: attempt, logLine: line = '' } = job;
  return { id, token, attempt, isSuccess: true, value, receiver: receiverOf(job.data), line };
}

/** Ends deliveries, makes deferred deliveries of their receivers due and takes others, in one atomic step. It may be sent again. */
export function finishDeliveries(
  redis: Redis,
  taker: Taker,
  commit: Commit<DeliveryEnd>,
  limits: Pick<ReceiverLimits, 'dueAfter'>,
): Promise<Committed> {
  const keys = keysOf(redis);
  const ended = new Map<string, number>();
  for (const { receiver } of commit.ends) ended.set(receiver, (ended.get(receiver) ?? 0) + 1);
  return runCommit(FINISH, redis, taker, commit, [
    ended.size,
    ...[...ended].flatMap(([receiver, count]) => [keys.deferred(receiver), limits.dueAfter(receiver, count)]),
    ...commit.ends.flatMap(({ id, token, attempt, value, line }) => [id, token, attempt, value, line]),
  ]);
}
