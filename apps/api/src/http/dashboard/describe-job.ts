import { isFinal, isInvocationId, type Step, type Waiting } from '@errand/contracts';
import {
  explainWait,
  readDeliveries,
  readEvents,
  readInvocation,
  type Queues,
  type StoredInvocation,
} from '@errand/queue';

/** The part of a job of the dashboard that identifies it. */
interface ShownJob {
  id?: string | undefined;
  data: unknown;
}

/** What the API knows about a job beyond the data of its queue. */
export interface JobDescription {
  /** What the job waits for, for people: `an answer to step 0`. */
  waitsFor?: string;
  /** The content of the tab Progress. */
  progress: object;
  /** The job is suspended: the delay of its queue is a technical limit, not the time of its next run. */
  isSuspended: boolean;
}

const MOST_LOG_LINES = 10_000;

/**
 * Describes a job of a queue of invocations or scripts, as `GET /v1/invocations/:id` does. The job of a script that runs for a step is
 * described by its invocation. Undefined if the invocation does not exist any more.
 */
export async function describeJob(queues: Queues, { id = '', data }: ShownJob): Promise<JobDescription | undefined> {
  const { invocationId, step } = stepOfJob(id);
  const { tenant } = data as { tenant?: string };
  if (tenant === undefined || !isInvocationId(invocationId)) return undefined;
  const invocation = await readInvocation(queues, tenant, invocationId);
  if (!invocation) return undefined;
  const waitsFor = step === undefined ? await findWait(queues, invocation) : undefined;
  const { status, progress } = invocation;
  const steps = invocation.steps.filter(({ index }) => step === undefined || index === step).map(shownStep);
  return {
    ...(waitsFor !== undefined && { waitsFor }),
    isSuspended: status !== 'queued' && !isFinal(status),
    progress: {
      ...(step !== undefined && { invocation: invocationId }),
      status,
      ...(progress !== null && { progress: Math.round(progress * 100) }),
      ...(waitsFor !== undefined && { waitsFor }),
      steps,
    },
  };
}

/** Describes a job of the queue of deliveries, as `GET /v1/invocations/:id/deliveries` does. */
export async function describeDelivery(queues: Queues, { id = '' }: ShownJob): Promise<JobDescription | undefined> {
  const [message = ''] = id.split('.');
  const delivery = (await readDeliveries(queues, message.replace(/^msg_/, 'inv_'))).find((found) => found.id === id);
  if (!delivery) return undefined;
  const { status, url, nextAttemptAt, attempts } = delivery;
  const next = nextAttemptAt === null ? undefined : `its next attempt, at ${nextAttemptAt}`;
  const waitsFor = status === 'waiting' ? 'the end of its invocation' : next;
  return {
    ...(waitsFor !== undefined && { waitsFor }),
    isSuspended: nextAttemptAt !== null,
    progress: { status, url, ...(waitsFor !== undefined && { waitsFor }), attempts },
  };
}

/** The log of a job, as `GET /v1/invocations/:id/logs` returns it: `step 0 stderr: …`. */
export async function readJobLog(queues: Queues, id: string): Promise<string[]> {
  const { invocationId, step } = stepOfJob(id);
  if (!isInvocationId(invocationId)) return [];
  const events = await readEvents(queues, invocationId, 0, MOST_LOG_LINES);
  return events.flatMap(({ event }) =>
    event.event === 'log' && (step === undefined || event.step === step)
      ? [`${event.at} step ${event.step} ${event.stream}: ${event.line}`]
      : [],
  );
}

/** A script that runs for a step has the id `<invocation>.<step>`, with more parts for a node. */
function stepOfJob(jobId: string): { invocationId: string; step?: number } {
  const [invocationId = '', step] = jobId.split('.');
  return { invocationId, ...(step !== undefined && { step: Number(step) }) };
}

/** What an invocation waits for. Undefined if it runs or has ended. */
async function findWait(queues: Queues, invocation: StoredInvocation): Promise<string | undefined> {
  const wait = await explainWait(queues, invocation);
  const waiting = invocation.steps.map(waitOfStep).find((found) => found !== undefined);
  if (wait) return `${wait.waitingFor}${deadlineOf(waiting)}`;
  if (waiting?.for === 'time') return waiting.until === null ? 'a time' : `its time, ${waiting.until}`;
  if (waiting?.for === 'invocation')
    return `the end of ${waiting.invocationId ?? 'another invocation'}${deadlineOf(waiting)}`;
  return undefined;
}

/** The first wait of a step or of its nodes. */
function waitOfStep({ waiting, nodes = [] }: Step): Waiting | undefined {
  return waiting ?? nodes.find((node) => node.waiting !== undefined)?.waiting;
}

function deadlineOf(waiting: Waiting | undefined): string {
  return waiting?.for !== 'time' && waiting?.until ? `, until ${waiting.until}` : '';
}

function shownStep({ index, toolId, status, startedAt, finishedAt, attempts, waiting, nodes, error }: Step): object {
  const shownNodes = nodes?.map(({ nodeId, type, status: ofNode, waiting: wait }) => ({
    nodeId,
    type,
    status: ofNode,
    ...(wait && { waiting: wait }),
  }));
  return {
    index,
    toolId,
    status,
    startedAt,
    finishedAt,
    attempts,
    ...(waiting && { waiting }),
    // The page folds objects at this depth.
    ...(error && { error: `${error.type}: ${error.message}` }),
    ...(shownNodes && { nodes: shownNodes }),
  };
}
