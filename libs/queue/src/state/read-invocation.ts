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
import { roundsOf } from './rounds-of.js';
import { openStatus, readStored, type StoredJob } from './stored-job.js';
import { isInReach, type TenantReach } from './tenant-reach.js';
import { readToldEnd } from './told-end.js';

/** The stored data of an invocation. The API adds `observation` and `links`. */
export type StoredInvocation = Omit<Invocation, 'observation' | 'links'> & { record: InvocationRecord };

/** The state of an invocation at its submission. No read is necessary. */
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

/** An open invocation after its end. `outcome` came with the notification of the end, so that no read is necessary. */
export function endedInvocation({ id, record, createdAt }: StoredInvocation, outcome: string): StoredInvocation {
  const told = readToldEnd(id, outcome);
  const job: StoredJob = {
    data: record,
    timestamp: Date.parse(createdAt),
    startedOn: told.startedOn,
    finishedOn: told.finishedOn,
    attempts: told.starts,
    returnvalue: told.outcome,
    failedReason: '',
    locked: false,
    suspended: null,
    cancelled: false,
    characters: 0,
  };
  return toInvocation(id, job, new Map());
}

/** Reads an invocation. Returns undefined if it does not exist, or belongs to a tenant out of reach. One round trip. */
export async function readInvocation(
  queues: Queues,
  reach: TenantReach,
  id: string,
): Promise<StoredInvocation | undefined> {
  const stored = await readStored(queues, id, { beside: true });
  if (!stored || !isInReach(reach, stored.job.data.tenant)) return undefined;
  const artifacts = toArtifacts(stored.artifacts);
  return { ...toInvocation(id, stored.job, stored.state), ...(artifacts.length > 0 && { artifacts }) };
}

/** Reads an invocation with the whole results of its steps, also large ones. */
export async function readWholeInvocation(
  queues: Queues,
  reach: TenantReach,
  id: string,
): Promise<StoredInvocation | undefined> {
  const stored = await readStored(queues, id, { beside: true });
  if (!stored || !isInReach(reach, stored.job.data.tenant)) return undefined;
  const { job, state } = stored;
  const whole = (step: StepOutcome) => wholeStep(queues.redis, id, step);
  const steps = job.returnvalue && (await Promise.all(job.returnvalue.steps.map(whole)));
  const fields = [...state].map(async ([field, text]): Promise<[string, string]> => {
    const isStep = /^\d+$/.test(field);
    return [field, isStep ? JSON.stringify(await whole(JSON.parse(text) as StepOutcome)) : text];
  });
  return toInvocation(id, { ...job, returnvalue: steps && { steps } }, new Map(await Promise.all(fields)));
}

/** Builds an invocation from its job and its state. */
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
    ...(job.earlierAttempts !== undefined && { earlierAttempts: attemptsIn(job.earlierAttempts) }),
    agent: record.agent ?? null,
    session: record.session ?? null,
    ...(record.parentTurn && { parent: parentOf(record.parentTurn) }),
    responseText: record.responseText ?? null,
    ...(record.warnings && { warnings: record.warnings }),
    metadata: record.metadata ?? null,
    ...(record.attachments && { attachments: record.attachments }),
    ...(record.retryOf && { retryOf: record.retryOf }),
    ...(job.retries && { retriedBy: job.retries }),
    calls: steps,
    steps,
    result: status === 'succeeded' ? (steps.length === 1 ? (results[0] ?? null) : results) : null,
    ...(steps.some((step) => step.resultTruncated) && { resultTruncated: true }),
    error: failure ?? null,
    progress: status === 'succeeded' ? 1 : progress === undefined ? null : Number(progress),
    record,
  };
}

function attemptsIn(text: string): NonNullable<Invocation['earlierAttempts']> {
  return [...text.matchAll(/(\d+)-(\d+) /g)].map(([, from, to]) => ({
    startedAt: isoTime(Number(from)),
    finishedAt: isoTime(Number(to)),
  }));
}

function parentOf({ invocationId, round }: NonNullable<InvocationRecord['parentTurn']>): Invocation['parent'] {
  return { invocationId, ...(round !== undefined && { round }) };
}

/** A cancel request that was stored before the end decides, whatever the outcome of the job is. */
function failureOf(job: StoredJob): Failure | undefined {
  const { finishedOn, cancelled, cancelReason, failedReason, returnvalue } = job;
  if (!finishedOn) return undefined;
  if (cancelled) return cancelledByRequest(cancelReason).toFailure();
  // A job that succeeded after a failed attempt still has `failedReason`, so the return value decides.
  return returnvalue ? undefined : readFailure(failedReason);
}

function statusOf(job: StoredJob, failure: Failure | undefined): Status {
  if (!job.finishedOn) return openStatus(job);
  if (!failure) return 'succeeded';
  return failure.type === 'CancelledError' ? 'cancelled' : 'failed';
}

let lastMs = NaN;
let lastText = '';

/** Many invocations begin or end in the same millisecond, so the text is cached. */
function isoTime(ms: number): string {
  if (ms !== lastMs) [lastMs, lastText] = [ms, new Date(ms).toISOString()];
  return lastText;
}

/** The status of the whole invocation. */
interface Whole {
  status: Status;
  failure: Failure | undefined;
}

interface WholeAndStep extends Whole {
  step: StepOutcome;
}

/** Builds a step from the outcome of the job if it has one, else from the stored state. */
export function toStep(index: number, job: StoredJob, whole: Whole, state: Fields): Step {
  const { calls } = job.data;
  const { toolId = '', version = '', arguments: args = {}, callId } = calls[index] ?? {};
  const alone = calls.length === 1;
  const outcome = withReason(outcomeOf(index, job, whole, state), job, whole);
  const nodes = nodesOf(index, state, { ...whole, step: outcome }, job.finishedOn);
  // If there are several steps, each stores its own start.
  const begun = alone && outcome.status !== 'queued' && job.startedOn ? isoTime(job.startedOn) : null;
  const ended = job.finishedOn ? isoTime(job.finishedOn) : null;
  return {
    index,
    toolId,
    version,
    arguments: args,
    ...(callId !== undefined && { callId }),
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
    ...(calls[index]?.kind === 'agent' && roundsOf(index, state, outcome.status, job.finishedOn)),
  };
}

/** The worker stores the error of a step that a cancel request has stopped. It does not know the reason of the request. */
function withReason(outcome: StepOutcome, { cancelled }: StoredJob, { failure }: Whole): StepOutcome {
  const wasStopped = cancelled && failure !== undefined && outcome.error?.type === 'CancelledError';
  return wasStopped ? { ...outcome, error: failure } : outcome;
}

function outcomeOf(index: number, job: StoredJob, whole: Whole, state: Fields): StepOutcome {
  const alone = job.data.calls.length === 1;
  const stored = stepIn(state, index);
  // A single step ends like its invocation.
  if (alone && whole.failure) return { ...startOf(stored), status: whole.status, error: whole.failure };
  const returned = job.returnvalue?.steps?.[index];
  if (returned) return { ...startOf(stored), ...returned };
  const retried = alone && whole.status === 'queued' ? lastFailure(job) : {};
  if (stored && isFinal(stored.status)) return stored;
  const timedOut = timeOut(index, job, whole, state);
  if (timedOut) return { ...startOf(stored), status: 'failed', error: timedOut };
  if (!stored)
    return alone ? { status: whole.status, ...retried } : { status: isFinal(whole.status) ? 'cancelled' : 'queued' };
  return { ...currentOutcome(stored, alone, whole.status), ...retried };
}

/**
 * The failure of a step that was ended by the timeout of the whole invocation: in mode `parallel`, each step that had not ended; in mode
 * `sequence`, the first one. If a step failed by its own timeout, `details.step` of the failure names it.
 */
function timeOut(index: number, job: StoredJob, { failure }: Whole, state: Fields): Failure | undefined {
  if (failure?.type !== 'TimeoutError' || failure.details?.['step'] !== undefined) return undefined;
  const before = job.data.mode === 'sequence' ? index : 0;
  for (let n = 0; n < before; n++) {
    const earlier = stepIn(state, n);
    if (!earlier || !isFinal(earlier.status) || earlier.error?.type === 'TimeoutError') return undefined;
  }
  return failure;
}

/** The error of the last attempt while a single step waits for the next one. With several steps, the stored state has it. */
function lastFailure({ failedReason }: StoredJob): Pick<StepOutcome, 'error'> {
  return failedReason === '' ? {} : { error: readFailure(failedReason) };
}

/** The outcome of a step that had begun, for the present status of its invocation. */
function currentOutcome({ waiting, ...stored }: StepOutcome, alone: boolean, whole: Status): StepOutcome {
  if (isFinal(whole)) return { ...startOf(stored), status: alone ? whole : 'cancelled' };
  const status = alone || (whole === 'queued' && stored.status === 'running') ? whole : stored.status;
  return { ...stored, status, ...(waiting && isWaited(waiting, status) && { waiting }) };
}

function isWaited({ for: subject }: Waiting, status: Status): boolean {
  return status === 'waiting_external' || (subject !== 'time' && subject !== 'answer' && status === 'running');
}

function startOf(step: StepOutcome | undefined): Pick<StepOutcome, 'startedAt' | 'attempts'> {
  const { startedAt, attempts } = step ?? {};
  return { ...(startedAt !== undefined && { startedAt }), ...(attempts !== undefined && { attempts }) };
}

function stepIn(state: Fields, index: number): StepOutcome | undefined {
  const text = state.get(`${index}`);
  return text === undefined ? undefined : (JSON.parse(text) as StepOutcome);
}

/**
 * The nodes of a step in the order of their starts. Nodes that have not begun are last. A node without a stored end ends with the
 * invocation.
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
