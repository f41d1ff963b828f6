import type { EventWriter, JournalWriter, StepOutcome, Work } from '@errand/queue';
import type { InvocationProgress } from './combine-steps.js';

/** What a step runs with: the job it belongs to, and where it tells and writes what happens. */
export interface StepContext {
  work: Work;
  index: number;
  signal: AbortSignal;
  /** When the time of the whole invocation is over, in ms since 1970. */
  deadline?: number;
  events: EventWriter;
  journal: JournalWriter;
  progress: InvocationProgress;
  /** Labels that scripts of this step wait for somebody to offer. */
  awaited: Set<string>;
  /** How an earlier attempt left this step. */
  before?: StepOutcome;
}

/** Of a single call, the invocation itself says how it stands, also to those who follow its events. */
export function isOneOfSeveral({ work }: Pick<StepContext, 'work'>): boolean {
  return work.record.calls.length > 1;
}

/** Whether nothing can be there yet that an earlier attempt, or the invocation that this one repairs, has written. */
export function isFirstStart({ attempt, record }: Work): boolean {
  return attempt === 1 && record.retryOf === undefined;
}

/** Since when a step runs, and how often it was begun. */
export type AttemptInfo = Required<Pick<StepOutcome, 'startedAt' | 'attempts' | 'begunIn'>>;

/** A park is no attempt, and what was tried in this invocation before the step was first begun is none of its own. */
export function attemptInfoOf({ work, before }: Pick<StepContext, 'work' | 'before'>): AttemptInfo {
  const attempt = work.attempt - work.parks;
  const isLater = work.record.calls.length > 1 && !before;
  const begunIn = isLater ? attempt : (before?.begunIn ?? 1);
  return { startedAt: before?.startedAt ?? new Date().toISOString(), attempts: attempt - begunIn + 1, begunIn };
}
