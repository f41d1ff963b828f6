import type { Failure, Invocation, Status } from '@errand/contracts';
import type { Queues } from './connect.js';
import { toArtifacts } from './artifacts.js';
import { cancelledByWish } from './cancel-job.js';
import { PROGRESS_FIELD } from './event-log.js';
import { readFailure } from './failure-text.js';
import type { Fields } from './journal.js';
import { wholeStep } from './large-result.js';
import { toStep } from './read-step.js';
import type { Accepted, InvocationRecord, StepOutcome } from './record.js';
import { openStatus, readStored, type StoredJob } from './stored-job.js';

/** What is stored of an invocation, read in one round trip. `observation` and `links` are the API's to add. */
export type StoredInvocation = Omit<Invocation, 'observation' | 'links'> & { record: InvocationRecord };

/** An invocation at the moment of its submission: it need not be read to be known. */
export function freshInvocation({ id, record, at }: Accepted): StoredInvocation {
  const unstarted = { startedOn: undefined, attempts: 0, locked: false, parked: null, cancelled: false, characters: 0 };
  return toInvocation(
    id,
    { data: record, timestamp: at, failedReason: '', returnvalue: null, ...unstarted },
    new Map(),
  );
}

/** The invocation of that id and tenant, or undefined: another tenant's is as if it were not there. */
export async function readInvocation(
  queues: Queues,
  tenant: string,
  id: string,
): Promise<StoredInvocation | undefined> {
  const stored = await readStored(queues, id, { beside: true });
  if (stored?.job.data.tenant !== tenant) return undefined;
  const artifacts = toArtifacts(stored.artifacts);
  return { ...toInvocation(id, stored.job, stored.state), ...(artifacts.length > 0 && { artifacts }) };
}

/** Likewise, with the whole results of its steps, however large. */
export async function readWholeInvocation(
  queues: Queues,
  tenant: string,
  id: string,
): Promise<StoredInvocation | undefined> {
  const stored = await readStored(queues, id, { beside: true });
  if (stored?.job.data.tenant !== tenant) return undefined;
  const { job, state } = stored;
  const whole = (step: StepOutcome) => wholeStep(queues.redis, id, step);
  const steps = job.returnvalue && (await Promise.all(job.returnvalue.steps.map(whole)));
  const told = [...state].map(async ([field, text]): Promise<[string, string]> => {
    const isStep = /^\d+$/.test(field);
    return [field, isStep ? JSON.stringify(await whole(JSON.parse(text) as StepOutcome)) : text];
  });
  return toInvocation(id, { ...job, returnvalue: steps && { steps } }, new Map(await Promise.all(told)));
}

/** An invocation as its job and its state tell it. */
export function toInvocation(id: string, job: StoredJob, state: Fields): StoredInvocation {
  const { data: record } = job;
  const failure = failureOf(job);
  const status = statusOf(job, failure);
  const steps = record.calls.map((_, index) => toStep(index, job, { status, failure }, state));
  const results = steps.map((step) => step.result ?? null);
  const progress = state.get(PROGRESS_FIELD);
  return {
    id,
    status,
    createdAt: isoTime(job.timestamp),
    startedAt: job.startedOn ? isoTime(job.startedOn) : null,
    finishedAt: job.finishedOn ? isoTime(job.finishedOn) : null,
    agent: record.agent ?? null,
    session: record.session ?? null,
    responseText: record.responseText ?? null,
    ...(record.warnings && { warnings: record.warnings }),
    metadata: record.metadata ?? null,
    ...(record.attachments && { attachments: record.attachments }),
    ...(record.retryOf && { retryOf: record.retryOf }),
    calls: steps,
    steps,
    result: status === 'succeeded' ? (steps.length === 1 ? results[0]! : results) : null,
    ...(steps.some((step) => step.resultTruncated) && { resultTruncated: true }),
    error: failure ?? null,
    progress: status === 'succeeded' ? 1 : progress === undefined ? null : Number(progress),
    record,
  };
}

/** A wish that was stored before the job ended counts, however it ended: the two can cross on their way. */
function failureOf({ finishedOn, cancelled, failedReason, returnvalue }: StoredJob): Failure | undefined {
  if (!finishedOn) return undefined;
  if (cancelled) return cancelledByWish().toFailure();
  // One that succeeded at a later try still has the reason of the one that failed.
  return returnvalue ? undefined : readFailure(failedReason);
}

function statusOf(job: StoredJob, failure: Failure | undefined): Status {
  if (!job.finishedOn) return openStatus(job);
  if (!failure) return 'succeeded';
  return failure.type === 'CancelledError' ? 'cancelled' : 'failed';
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
