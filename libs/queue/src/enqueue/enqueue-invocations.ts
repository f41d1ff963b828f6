import { timeOfInvocationId, type Callback } from '@errand/contracts';
import { admit, type Admission } from './admit.js';
import type { Queues } from '../redis/connect.js';
import type { KeyHold } from './idempotency.js';
import type { SubmitOptions } from './job-options.js';
import { keysBeside, type QueueName } from '../redis/names.js';
import { keepBeside } from '../suspend/suspend-job.js';
import { QueueFullError, refuse } from './queue-full.js';
import { freshInvocation, type StoredInvocation } from '../state/read-invocation.js';
import type { Accepted, InvocationRecord } from '../state/record.js';

/** An accepted submission, on its way into its queue. */
export interface NewInvocation {
  queue: QueueName;
  id: string;
  record: InvocationRecord;
  options?: SubmitOptions | undefined;
  /** Whom to tell of its end: owed from now on, whatever dies in between. */
  callback?: Callback | undefined;
  /** The key under which it was asked for. */
  hold?: KeyHold | undefined;
}

/**
 * Enqueues one invocation under `id`; one round trip, and another to keep for a delayed one what it needs. A job of that id that is there already stays as it is.
 * Returns the invocation as it is then, if there was none.
 * @throws QueueFullError; whatever Redis throws: nothing is accepted that is not stored
 */
export async function submitInvocation(
  queues: Queues,
  queue: QueueName,
  id: string,
  record: InvocationRecord,
  options: SubmitOptions = {},
  callback?: Callback,
): Promise<StoredInvocation> {
  const [taken] = await submitInvocations(queues, [{ queue, id, record, options, callback }]);
  if (taken instanceof QueueFullError) throw taken;
  return freshInvocation(taken!);
}

/**
 * Enqueues many, in order, each taken or refused on its own, in the same number of round trips as one.
 * @throws whatever Redis throws
 */
export async function submitInvocations(
  queues: Queues,
  invocations: readonly NewInvocation[],
): Promise<(Accepted | QueueFullError)[]> {
  return Promise.all(invocations.map((invocation) => submit(queues, invocation)));
}

async function submit(queues: Queues, invocation: NewInvocation): Promise<Accepted | QueueFullError> {
  const { queue, id, record, options } = invocation;
  const admission = admissionOf(invocation);
  if ((await admit(queues, admission)) === 'full') {
    await queues.redis.del(keysBeside(id));
    return refuse(queues, queue);
  }
  queues.news.emit(
    'accepted',
    record.calls.map((call) => call.toolId),
  );
  const digests = record.calls.map((call) => call.digest);
  if (options?.delayMs) await keepBeside(queues, id, digests, admission.at + options.delayMs);
  return { id, record, at: admission.at };
}

/** Its time is that of its id, so that lists in the order of ids are in the order of time. */
function admissionOf({ queue, id, record, options = {}, callback, hold }: NewInvocation): Admission {
  const name = record.calls
    .map((call) => call.toolId)
    .join(' → ')
    .slice(0, 200);
  const at = timeOfInvocationId(id) ?? Date.now();
  return { queue, id, name, at, record: recordOf(record, options, hold), options, callback, hold };
}

/** What the job carries: the record, and of how it was asked for what is needed later. */
function recordOf(record: InvocationRecord, options: SubmitOptions, hold: KeyHold | undefined): InvocationRecord {
  const { attempts, backoff } = options;
  const retry = { ...(attempts !== undefined && { attempts }), ...(backoff && { backoff }) };
  return {
    ...record,
    ...((attempts !== undefined || backoff) && { retry }),
    ...(hold && { idempotency: hold.digest }),
  };
}
