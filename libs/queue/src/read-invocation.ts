import { isFinal, type Failure, type Invocation, type NodeState, type Status, type Step } from '@errand/contracts';
import type { Job } from 'bullmq';
import type { Queues } from './connect.js';
import { readFailure } from './failure-text.js';
import { PROGRESS_FIELD, readJournal, type JournalFields } from './journal.js';
import { keys, QUEUE_NAMES } from './names.js';
import type { InvocationRecord, Outcome, StepOutcome } from './record.js';

/** What is stored of an invocation, read in one round trip. `observation` and `links` are the API's to add. */
export type StoredInvocation = Omit<Invocation, 'observation' | 'links'> & { record: InvocationRecord };

type StoredJob = Pick<
  Job<InvocationRecord, Outcome>,
  'data' | 'timestamp' | 'processedOn' | 'finishedOn' | 'failedReason' | 'attemptsStarted'
> & { returnvalue: Outcome | null };

/** An invocation at the moment of its submission: it need not be read to be known. */
export function freshInvocation(id: string, record: InvocationRecord, timestamp: number): StoredInvocation {
  const job = { data: record, timestamp, attemptsStarted: 0, failedReason: '', returnvalue: null };
  return toInvocation(id, job, false, new Map());
}

/** The invocation of that id and tenant, or undefined: another tenant's is as if it were not there. */
export async function readInvocation(
  queues: Queues,
  tenant: string,
  id: string,
): Promise<StoredInvocation | undefined> {
  const [journal, ...found] = await Promise.all([
    readJournal(queues, id),
    ...QUEUE_NAMES.map(async (name) => {
      const [job, locked] = await Promise.all([
        queues.byName[name].getJob(id),
        queues.redis.exists(keys.lock(name, id)),
      ]);
      return job && { job, locked: locked === 1 };
    }),
  ]);
  const stored = found.find((candidate) => candidate !== undefined);
  if (!stored || stored.job.data.tenant !== tenant) return undefined;
  return toInvocation(id, stored.job, stored.locked, journal);
}

function toInvocation(id: string, job: StoredJob, locked: boolean, journal: JournalFields): StoredInvocation {
  const { data: record } = job;
  const failure = job.finishedOn && job.failedReason ? readFailure(job.failedReason) : undefined;
  const status = statusOf(job, locked, failure);
  const steps = record.calls.map((_, index) => toStep(index, job, status, journal, failure));
  const results = steps.map((step) => step.result ?? null);
  const progress = journal.get(PROGRESS_FIELD);
  return {
    id,
    status,
    createdAt: isoTime(job.timestamp),
    startedAt: job.processedOn ? isoTime(job.processedOn) : null,
    finishedAt: job.finishedOn ? isoTime(job.finishedOn) : null,
    agent: record.agent ?? null,
    session: record.session ?? null,
    responseText: record.responseText ?? null,
    ...(record.warnings && { warnings: record.warnings }),
    metadata: record.metadata ?? null,
    calls: steps,
    steps,
    result: status === 'succeeded' ? (steps.length === 1 ? results[0]! : results) : null,
    error: failure ?? null,
    progress: status === 'succeeded' ? 1 : progress === undefined ? null : Number(progress),
    record,
  };
}

/** A job that was started and has no lock is waiting again: for its next attempt, or for someone to take it from the dead. */
function statusOf(job: StoredJob, locked: boolean, failure: Failure | undefined): Status {
  if (!job.finishedOn) return locked ? 'running' : 'queued';
  if (!failure) return 'succeeded';
  return failure.type === 'CancelledError' ? 'cancelled' : 'failed';
}

function toStep(index: number, job: StoredJob, status: Status, journal: JournalFields, failure?: Failure): Step {
  const { toolId, version, arguments: args } = job.data.calls[index]!;
  const outcome =
    job.returnvalue?.steps?.[index] ?? journaledStep(journal, index) ?? impliedOutcome(job, status, failure);
  const nodes = journaledNodes(journal, index);
  const started =
    outcome.startedAt ?? (job.processedOn && outcome.status !== 'queued' ? isoTime(job.processedOn) : null);
  const ended = isFinal(outcome.status)
    ? (outcome.finishedAt ?? (job.finishedOn ? isoTime(job.finishedOn) : null))
    : null;
  return {
    index,
    toolId,
    version,
    arguments: args,
    status: outcome.status,
    ...(outcome.result !== undefined && { result: outcome.result }),
    ...(outcome.error && { error: outcome.error }),
    startedAt: started,
    finishedAt: ended,
    attempts: outcome.attempts ?? job.attemptsStarted,
    ...(nodes.length > 0 && { nodes }),
  };
}

/** A step of which nothing is written: the only one stands as its job does; one of several has not begun, or never will. */
function impliedOutcome(job: StoredJob, status: Status, failure?: Failure): StepOutcome {
  if (job.data.calls.length === 1) return { status, ...(failure && { error: failure }) };
  return { status: isFinal(status) ? 'cancelled' : 'queued' };
}

function journaledStep(journal: JournalFields, index: number): StepOutcome | undefined {
  const text = journal.get(`${index}`);
  return text === undefined ? undefined : (JSON.parse(text) as StepOutcome);
}

function journaledNodes(journal: JournalFields, index: number): NodeState[] {
  const prefix = `${index}/`;
  return [...journal].filter(([field]) => field.startsWith(prefix)).map(([, text]) => JSON.parse(text) as NodeState);
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
