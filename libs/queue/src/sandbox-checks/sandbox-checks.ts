import { randomUUID } from 'node:crypto';
import type { SandboxReport } from '@errand/contracts';
import { notifyProcesses } from '../redis/channels.js';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { SANDBOX_CHECK } from '../redis/notification-names.js';
import type { NotificationHub } from '../suspend/notifications.js';

/** A runner that has not begun by then was away. */
const REQUEST_SECONDS = 600;
const REPORT_SECONDS = 7 * 86_400;
/** A runner has a new id after each start, so that old reports remain for a while. */
const MOST_REPORTS = 100;

/** Requests an attack run of every script-runner that is there. @throws any error of Redis */
export async function requestSandboxCheck({ redis }: Queues): Promise<void> {
  await redis.set(keysOf(redis).sandboxCheck, randomUUID(), 'EX', REQUEST_SECONDS);
  await notifyProcesses(redis, SANDBOX_CHECK);
}

/** The last request for an attack run; null without one. @throws any error of Redis */
export function readSandboxCheck({ redis }: Queues): Promise<string | null> {
  return redis.get(keysOf(redis).sandboxCheck);
}

/** Calls `run` for each request after `last`. Requests during a run lead to one more. Ends with the signal. */
export async function followSandboxChecks(
  queues: Queues,
  notifications: NotificationHub,
  last: string | null,
  signal: AbortSignal,
  run: () => Promise<void>,
): Promise<void> {
  const subscription = notifications.listen(SANDBOX_CHECK);
  let seen = last;
  try {
    do {
      const request = await readSandboxCheck(queues);
      if (request === null || request === seen) continue;
      seen = request;
      await run();
    } while (await subscription.next(signal));
  } finally {
    subscription.close();
  }
}

/** Stores the report of a runner in place of its earlier one. @throws any error of Redis */
export async function storeSandboxReport({ redis }: Queues, report: SandboxReport): Promise<void> {
  const keys = keysOf(redis);
  const at = Date.parse(report.at);
  // No transaction: after a failover, single commands are sent again, transactions fail.
  await Promise.all([
    redis.set(keys.sandboxReport(report.runner), JSON.stringify(report), 'EX', REPORT_SECONDS),
    redis.zadd(keys.sandboxReports, at, report.runner),
    redis.zremrangebyscore(keys.sandboxReports, '-inf', at - REPORT_SECONDS * 1_000),
    redis.zremrangebyrank(keys.sandboxReports, 0, -MOST_REPORTS - 1),
    redis.expire(keys.sandboxReports, REPORT_SECONDS),
  ]);
}

/** The last report of each runner, newest first. @throws any error of Redis */
export async function readSandboxReports({ redis }: Queues): Promise<SandboxReport[]> {
  const keys = keysOf(redis);
  const runners = await redis.zrevrange(keys.sandboxReports, 0, MOST_REPORTS - 1);
  const texts = await Promise.all(runners.map((runner) => redis.get(keys.sandboxReport(runner))));
  return texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as SandboxReport]));
}
