import type { EventWriter, JournalWriter, RecordedCall, StepOutcome, Work } from '@errand/queue';
import type { InvocationProgress } from './combine-steps.js';

/** The context of a step: its job, and the writers for its events and outcomes. */
export interface StepContext {
  work: Work;
  index: number;
  /** The call that this step runs. */
  call: RecordedCall;
  signal: AbortSignal;
  /** The time limit of the invocation, in ms since 1970. */
  deadline?: number;
  events: EventWriter;
  journal: JournalWriter;
  progress: InvocationProgress;
  /** The labels of the runners that scripts of this step wait for. */
  awaited: Set<string>;
  /** The state of this step after an earlier attempt. */
  before?: StepOutcome;
}

/** The session of a step, and the agent that acts in it: of a turn, the agent that is called. */
export function actorOf({ work, call }: Pick<StepContext, 'work' | 'call'>): { session?: string; agent?: string } {
  const { session, agent } = work.record;
  const acting = call.kind === 'agent' ? call.toolId.slice('agent:'.length) : agent;
  return { ...(session !== undefined && { session }), ...(acting !== undefined && { agent: acting }) };
}

/** The fields of each log line about an invocation. */
export function logFieldsOf({ id, record }: Pick<Work, 'id' | 'record'>): { invocationId: string; tenant: string } {
  return { invocationId: id, tenant: record.tenant };
}

/** Whether the status of a step is stored and emitted. A single step has the status of its invocation. */
export function isOneOfSeveral({ work }: Pick<StepContext, 'work'>): boolean {
  return work.record.calls.length > 1;
}

/** Whether the journal must be empty: there was no earlier attempt, and the invocation does not repair another one. */
export function isFirstStart({ attempt, record }: Work): boolean {
  return attempt === 1 && record.retryOf === undefined;
}

/** The first start of a step, its number of attempts, and the attempt of the invocation in which it first began. */
export type StepAttempts = Required<Pick<StepOutcome, 'startedAt' | 'attempts' | 'begunIn'>>;

/** Does not count suspensions, nor the attempts of the invocation before the first start of the step. */
export function stepAttemptsOf({ work, before }: Pick<StepContext, 'work' | 'before'>): StepAttempts {
  const attempt = work.attempt - work.suspensions;
  const isLater = work.record.calls.length > 1 && !before;
  const begunIn = isLater ? attempt : (before?.begunIn ?? 1);
  return { startedAt: before?.startedAt ?? new Date().toISOString(), attempts: attempt - begunIn + 1, begunIn };
}
