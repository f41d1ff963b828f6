import type { StepOutcome } from '@errand/queue';
import type { StepContext } from './step-context.js';

/** Since when a step runs, and how often it was begun. */
export type Stand = Required<Pick<StepOutcome, 'startedAt' | 'attempts' | 'begunIn'>>;

/** A park is no attempt, and what was tried in this invocation before the step was first begun is none of its own. */
export function standOf({ work, before }: Pick<StepContext, 'work' | 'before'>): Stand {
  const attempt = work.attempt - work.parks;
  const isLater = work.record.calls.length > 1 && !before;
  const begunIn = isLater ? attempt : (before?.begunIn ?? 1);
  return { startedAt: before?.startedAt ?? new Date().toISOString(), attempts: attempt - begunIn + 1, begunIn };
}
