import {
  type Failure,
  type Invocation,
  type Status,
  isFinal,
  type NodeState,
  type Step,
  type Waiting,
} from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { toArtifacts } from '../files/artifacts.js';
import { cancelledByRequest } from '../consume/cancel.js';
import { PROGRESS_FIELD } from './event-log.js';
import { readFailure } from '../consume/retry-policy.js';
import type { Fields } from '../consume/journal.js';
import { wholeStep } from './large-results.js';
import type { Accepted, InvocationRecord, StepOutcome } from './record.js';
import { openStatus, readStored, type StoredJob } from './stored-job.js';

/** What is stored of an invocation, read in one round trip. `observation` and `links` are the API's to add. */
export type StoredInvocation = Omit<Invocation, 'observation' | 'links'> & { record: InvocationRecord };

/** An invocation at the moment of its submission: it need not be read to be known. */
export function freshInvocation({ id, record, at }: Accepted): StoredInvocation {
  const unstarted = {
    startedOn: undefined,
    attempts: 0,
    locked: false,
    suspended: null,
    cancelled: false,
    characters: 0,
  };
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
  if (cancelled) return cancelledByRequest().toFailure();
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

interface Whole {
  status: Status;
  failure: Failure | undefined;
}

interface WholeAndStep extends Whole {
  step: StepOutcome;
}

/** One step as its caller sees it: from the job's outcome where it has one, else from what was told while it ran. */
export function toStep(index: number, job: StoredJob, whole: Whole, state: Fields): Step {
  const { toolId, version, arguments: args } = job.data.calls[index]!;
  const alone = job.data.calls.length === 1;
  const outcome = outcomeOf(index, job, whole, state);
  const nodes = nodesOf(index, state, { ...whole, step: outcome }, job.finishedOn);
  // Of several steps each says itself when it was begun.
  const begun = alone && outcome.status !== 'queued' && job.startedOn ? isoTime(job.startedOn) : null;
  const ended = job.finishedOn ? isoTime(job.finishedOn) : null;
  return {
    index,
    toolId,
    version,
    arguments: args,
    status: outcome.status,
    ...(outcome.result !== undefined && { result: outcome.result }),
    ...(outcome.large && { result: outcome.large.beginning, resultTruncated: { total: outcome.large.total } }),
    ...(outcome.error && { error: outcome.error }),
    startedAt: outcome.startedAt ?? begun,
    finishedAt: isFinal(outcome.status) ? (outcome.finishedAt ?? ended) : null,
    attempts: outcome.attempts ?? (alone ? job.attempts : 0),
    ...(outcome.waiting && { waiting: outcome.waiting }),
    ...(outcome.deduplicatedFrom && { deduplicatedFrom: outcome.deduplicatedFrom }),
    ...(nodes.length > 0 && { nodes }),
  };
}

function outcomeOf(index: number, job: StoredJob, whole: Whole, state: Fields): StepOutcome {
  const alone = job.data.calls.length === 1;
  const told = toldStep(state, index);
  // The only step ends as its invocation does.
  if (alone && whole.failure) return { ...startOf(told), status: whole.status, error: whole.failure };
  const returned = job.returnvalue?.steps?.[index];
  if (returned) return { ...startOf(told), ...returned };
  const retried = alone && whole.status === 'queued' ? lastFailure(job) : {};
  if (told && isFinal(told.status)) return told;
  const timedOut = timeOut(index, job, whole, state);
  if (timedOut) return { ...startOf(told), status: 'failed', error: timedOut };
  if (!told)
    return alone ? { status: whole.status, ...retried } : { status: isFinal(whole.status) ? 'cancelled' : 'queued' };
  return { ...standing(told, alone, whole.status), ...retried };
}

/**
 * The failure of one of several steps that was ended by the time of the whole: each that had not ended of those side by side, the first such
 * of a sequence. A step that failed by its own time is named in the failure of the whole.
 */
function timeOut(index: number, job: StoredJob, { failure }: Whole, state: Fields): Failure | undefined {
  if (failure?.type !== 'TimeoutError' || failure.details?.['step'] !== undefined) return undefined;
  const before = job.data.mode === 'sequence' ? index : 0;
  for (let n = 0; n < before; n++) {
    const told = toldStep(state, n);
    if (!told || !isFinal(told.status) || told.error?.type === 'TimeoutError') return undefined;
  }
  return failure;
}

/** What the only step failed for, of which the next try is to come: of several, it has been told. */
function lastFailure({ failedReason }: StoredJob): Pick<StepOutcome, 'error'> {
  return failedReason === '' ? {} : { error: readFailure(failedReason) };
}

/** A step that had begun, as it stands now that its invocation stands so. */
function standing({ waiting, ...told }: StepOutcome, alone: boolean, whole: Status): StepOutcome {
  if (isFinal(whole)) return { ...startOf(told), status: alone ? whole : 'cancelled' };
  const status = alone || (whole === 'queued' && told.status === 'running') ? whole : told.status;
  return { ...told, status, ...(waiting && isWaited(waiting, status) && { waiting }) };
}

function isWaited({ for: what }: Waiting, status: Status): boolean {
  return status === 'waiting_external' || (what !== 'time' && what !== 'answer' && status === 'running');
}

function startOf(told: StepOutcome | undefined): Pick<StepOutcome, 'startedAt' | 'attempts'> {
  const { startedAt, attempts } = told ?? {};
  return { ...(startedAt !== undefined && { startedAt }), ...(attempts !== undefined && { attempts }) };
}

function toldStep(state: Fields, index: number): StepOutcome | undefined {
  const text = state.get(`${index}`);
  return text === undefined ? undefined : (JSON.parse(text) as StepOutcome);
}

/**
 * The nodes of a step in the order in which they began, those that did not last. What was never told to have ended has not, unless
 * the whole has.
 */
function nodesOf(index: number, state: Fields, whole: WholeAndStep, finishedOn: number | undefined): NodeState[] {
  const prefix = `${index}/`;
  return [...state]
    .filter(([field]) => field.startsWith(prefix))
    .map(([, text]) => JSON.parse(text) as NodeState)
    .map((node) => (node.status === 'skipped' || isFinal(node.status) ? node : unfinished(node, whole, finishedOn)))
    .toSorted((a, b) => beganAt(a) - beganAt(b));
}

function beganAt({ startedAt }: NodeState): number {
  return startedAt === null ? Number.MAX_VALUE : Date.parse(startedAt);
}

function unfinished(
  { waiting, ...node }: NodeState,
  { status, step }: WholeAndStep,
  finishedOn: number | undefined,
): NodeState {
  const { error } = step;
  if (isFinal(status)) {
    const timedOut = error?.type === 'TimeoutError' && { error: { type: error.type, message: error.message } };
    const end = timedOut ? ({ status: 'failed', ...timedOut } as const) : ({ status: 'cancelled' } as const);
    return { ...node, ...end, finishedAt: finishedOn ? isoTime(finishedOn) : null };
  }
  if (status === 'queued') return { ...node, status: 'queued' };
  return waiting ? { ...node, waiting } : node;
}
