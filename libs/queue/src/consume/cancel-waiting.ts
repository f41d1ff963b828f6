import { join } from 'node:path';
import { jobIdOf } from '../bullmq/layout.js';
import { rulesArgs, USUAL_RULES } from '../fair/fair-rules.js';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf, type Keys } from '../redis/names.js';
import { QUEUE_NAMES, type QueueName } from '../redis/queue-names.js';
import { settleSession } from '../sessions/session-life.js';
import { findJob, type FoundJob } from '../state/find-job.js';
import { notedOf } from '../stats/noted-record.js';
import { resetRetention } from '../suspend/suspend-job.js';
import { cancelledByRequest, endWithoutSlot } from './cancel.js';
import { toJobError } from './retry-policy.js';

/** The most invocations that one script cancels. Other commands run between two scripts. */
export const MOST_CANCELLED = 25;

const CANCEL_WAITING = loadScript<(0 | 1)[]>(join(__dirname, 'cancel-waiting.lua'));
/** Of a process that takes no jobs. */
const NO_RULES = rulesArgs(USUAL_RULES, 0);

/**
 * Cancels those of a tenant's invocations in one keyspace that wait, 25 in one step. The others are left for `cancelInvocation`: those that
 * have started, are suspended or need more when they end.
 * @returns the ids of those that were cancelled
 */
export async function cancelWaiting(
  queues: Queues,
  tenant: string,
  ids: readonly string[],
  reason: string,
): Promise<Set<string>> {
  const cancelled = new Set<string>();
  for (let from = 0; from < ids.length; from += MOST_CANCELLED) {
    const some = await Promise.all(ids.slice(from, from + MOST_CANCELLED).map((id) => findJob(queues, tenant, id)));
    for (const queue of QUEUE_NAMES) {
      const found = some.filter((job) => job?.queue === queue && !job.job.data.parent) as FoundJob[];
      for (const id of await cancelGroup(queues, queue, found, reason)) cancelled.add(id);
    }
  }
  return cancelled;
}

async function cancelGroup(
  queues: Queues,
  queue: QueueName,
  found: readonly FoundJob[],
  reason: string,
): Promise<string[]> {
  if (found.length === 0) return [];
  const { redis } = queues;
  const keys = keysOf(redis);
  const now = Date.now();
  const failure = toJobError(cancelledByRequest(reason)).message;
  const sets = (['active', 'wait', 'prioritized', 'delayed'] as const).map((set) => keys.set(queue, set));
  const results = await CANCEL_WAITING.run(
    redis,
    [...sets, keys.submittedLater(queue)],
    [keys.job(queue, ''), queue, now, reason, failure, ...NO_RULES, ...found.flatMap((each) => argsOf(keys, each))],
  );
  const ended = found.filter((_, n) => results[n] === 1).map(({ job }) => job);
  for (const job of ended) {
    job.finishedOn = now;
    job.failedReason = failure;
    queues.events.emit('ended', endWithoutSlot(job));
  }
  await Promise.all(ended.flatMap((job) => [resetRetention(queues, jobIdOf(job)), settleSession(queues, job.data)]));
  return ended.map(jobIdOf);
}

function argsOf(keys: Keys, { job }: FoundJob): string[] {
  const { tenant, idempotency } = job.data;
  const { tools, agent } = notedOf(job.data);
  const claim = idempotency === undefined ? '' : keys.idempotency(tenant, idempotency);
  return [jobIdOf(job), job.name, tenant, claim, tools, agent];
}
