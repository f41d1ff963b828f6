import { createHash } from 'node:crypto';
import { canonicalJson, type Callback } from '@errand/contracts';
import type { JobsOptions } from 'bullmq';
import type { Queues } from './connect.js';
import { keys, type QueueName } from './names.js';
import { keepBeside } from './park-job.js';
import { submitWithDelivery } from './owe-delivery.js';
import { freshInvocation, type StoredInvocation } from './read-invocation.js';
import type { InvocationRecord } from './record.js';

/** How BullMQ is to treat the job; all optional. `priority` 1 is the most urgent. */
export interface SubmitOptions {
  priority?: number;
  delayMs?: number;
  attempts?: number;
  backoff?: { type: 'fixed' | 'exponential'; delayMs: number };
}

/** Runs of a step that fail for a reason of the platform's are tried this often, unless the caller says otherwise. */
const DEFAULT_ATTEMPTS = 3;
const DEFAULT_BACKOFF = { type: 'exponential', delayMs: 1_000 } as const;

/**
 * Enqueues one invocation under `id`; one round trip, and another to keep for a delayed one what it needs. A job of that id that is there already stays as it is.
 * Returns the invocation as it is then, if there was none.
 * @throws whatever Redis throws: nothing is accepted that is not stored
 */
export async function submitInvocation(
  queues: Queues,
  queue: QueueName,
  id: string,
  record: InvocationRecord,
  options: SubmitOptions = {},
  callback?: Callback,
): Promise<StoredInvocation> {
  const name = record.calls
    .map((call) => call.toolId)
    .join(' → ')
    .slice(0, 200);
  const timestamp = Date.now();
  const job = { name, data: record, opts: { jobId: id, timestamp, ...jobOptions(queues, options) } };
  if (callback) await submitWithDelivery(queues, queue, job, callback);
  else await queues.byName[queue].add(name, record, job.opts);
  if (options.delayMs) {
    const digests = record.calls.map((call) => call.digest);
    await keepBeside(queues, id, digests, timestamp + options.delayMs);
  }
  return freshInvocation(id, record, timestamp);
}

/** What every job of ours has in common. */
export function jobOptions({ retention }: Queues, options: SubmitOptions): JobsOptions {
  const { type, delayMs } = options.backoff ?? DEFAULT_BACKOFF;
  const keep = { age: retention.ageSeconds, count: retention.count };
  return {
    attempts: options.attempts ?? DEFAULT_ATTEMPTS,
    backoff: { type, delay: delayMs, jitter: type === 'exponential' ? 0.5 : 0 },
    ...(options.priority && { priority: options.priority }),
    ...(options.delayMs && { delay: options.delayMs }),
    removeOnComplete: keep,
    removeOnFail: keep,
    stackTraceLimit: 0,
  };
}

/**
 * Claims an idempotency key for `id`. Returns the id under which this key and body run (an earlier one for a repeat),
 * or undefined where the key was used with another body.
 */
export async function claimIdempotencyKey(
  queues: Queues,
  claim: { tenant: string; key: string; body: unknown; id: string },
): Promise<string | undefined> {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const redisKey = keys.idempotency(claim.tenant, sha256(claim.key));
  const body = sha256(canonicalJson(claim.body));
  const taken = await queues.redis.set(redisKey, `${body} ${claim.id}`, 'EX', queues.retention.ageSeconds, 'NX');
  if (taken === 'OK') return claim.id;
  const [earlierBody, earlierId] = ((await queues.redis.get(redisKey)) ?? '').split(' ');
  return earlierBody === body ? earlierId : undefined;
}
