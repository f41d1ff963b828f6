import { ToolError } from '@errand/contracts';
import type { Queues } from './connect.js';
import { readFailure } from './failure-text.js';
import { childId } from './names.js';
import type { InvocationRecord, Outcome, StepOutcome } from './record.js';
import { jobOptions } from './submit-invocation.js';
import type { Wakeups } from './wakeups.js';

/**
 * Has the script-runner run one call of an invocation and waits for its end, asleep. The child's id is derived from the
 * invocation and the step: asked again, by a worker that took over, it is the same run.
 * @throws ToolError as the script failed, CancelledError when `signal` fires first (the child itself is not stopped by this)
 */
export async function runChild(
  queues: Queues,
  wakeups: Wakeups,
  record: InvocationRecord & { parent: { invocationId: string; step: number } },
  signal: AbortSignal,
  node?: string,
): Promise<StepOutcome> {
  const id = childId(record.parent.invocationId, record.parent.step, node);
  const ended = await wakeups.until(id, signal, async () => {
    const job = await queues.byName.scripts.getJob(id);
    if (!job) {
      const [call] = record.calls;
      await queues.byName.scripts.add(call!.toolId, record, { jobId: id, ...jobOptions(queues, {}) });
      return undefined;
    }
    return job.finishedOn ? job : undefined;
  });
  if (!ended) throw new ToolError('CancelledError', 'The wait for the script was ended');
  if (ended.failedReason) {
    const failure = readFailure(ended.failedReason);
    throw new ToolError(failure.type, failure.message, failure.details);
  }
  const outcome: Outcome = ended.returnvalue;
  return outcome.steps[0]!;
}
