import { ToolError } from '@errand/contracts';
import { cancelChildren, cancelScript } from './cancel-invocation.js';
import type { Queues } from './connect.js';
import { readLastEvent } from './event-log.js';
import { readFailure } from './failure-text.js';
import { SupersededError } from './journal.js';
import { childId, keys } from './names.js';
import type { InvocationRecord, Outcome, StepOutcome } from './record.js';
import { jobOptions } from './submit-invocation.js';
import type { Wakeups } from './wakeups.js';

/** A script whose end is wished has this long to be gone; that of a dead runner ends by itself, without a word. */
const END_MS = 15_000;

/** How a script runs for an invocation. */
export interface ChildRun {
  /** The node that asks for it, where one does. */
  node?: string;
  /** Is told how much of the script is done, from 0 to 1: the invocation is more than that. */
  onProgress?: (value: number, message?: string) => void;
}

type ChildRecord = InvocationRecord & { parent: { invocationId: string; step: number } };

/**
 * Has the script-runner run one call of an invocation and waits for its end, asleep. The child's id is derived from the
 * invocation and the step: asked again, by a worker that took over, it is the same run.
 * @throws ToolError as the script failed; CancelledError when `signal` fires first, which ends the script, too, unless another
 *   process has taken the invocation over and waits for it in turn
 */
export async function runChild(
  queues: Queues,
  wakeups: Wakeups,
  record: ChildRecord,
  signal: AbortSignal,
  { node, onProgress }: ChildRun = {},
): Promise<StepOutcome> {
  const id = childId(record.parent.invocationId, record.parent.step, node);
  let told = 0;
  const ended = await wakeups.until(id, signal, async () => {
    const job = await queues.byName.scripts.getJob(id);
    if (job && onProgress) told = await tellProgress(queues, id, told, onProgress);
    if (job) return job.finishedOn ? job : undefined;
    signal.throwIfAborted();
    await addChild(queues, id, record);
    return undefined;
  });
  if (!ended) {
    if (!(signal.reason instanceof SupersededError)) await cancelScript(queues, id);
    throw new ToolError('CancelledError', 'The script was ended');
  }
  await queues.redis.unlink(keys.events(id), keys.state(id));
  // One that succeeded at a later try still has the reason of the one that failed.
  const outcome: Outcome | null = ended.returnvalue;
  if (outcome) return outcome.steps[0]!;
  const { type, message, details } = readFailure(ended.failedReason);
  throw new ToolError(type, message, details);
}

/** A script that runs for another job tells its progress under its own id; the last that it told is what counts. Returns its number. */
async function tellProgress(
  queues: Queues,
  id: string,
  told: number,
  tell: NonNullable<ChildRun['onProgress']>,
): Promise<number> {
  const last = await readLastEvent(queues, id);
  if (last?.event.event !== 'progress' || last.number <= told) return told;
  tell(last.event.value, last.event.message);
  return last.number;
}

/**
 * What has failed for an invocation is no longer known: the next attempt runs it anew. Only for an attempt that has seen it fail.
 */
export async function forgetFailedChildren(queues: Queues, id: string): Promise<void> {
  const children = await queues.redis.smembers(keys.children(id));
  await Promise.all(
    children.map(async (child) => {
      const job = await queues.byName.scripts.getJob(child);
      if (job?.finishedOn && !job.returnvalue) await job.remove();
    }),
  );
}

/** It is noted with its invocation before it is there: who cancels that, finds it. */
async function addChild(queues: Queues, id: string, record: ChildRecord): Promise<void> {
  const children = keys.children(record.parent.invocationId);
  await Promise.all([
    queues.redis.sadd(children, id),
    queues.redis.expire(children, queues.retention.ageSeconds),
    queues.byName.scripts.add(record.calls[0]!.toolId, record, { jobId: id, ...jobOptions({}) }),
  ]);
}

/** Ends every script that runs for an invocation, and waits until they are gone. */
export async function endChildren(queues: Queues, wakeups: Wakeups, id: string): Promise<void> {
  const patience = AbortSignal.timeout(END_MS);
  const children = await cancelChildren(queues, id);
  await Promise.all(
    children.map((child) =>
      wakeups.until(child, patience, async () => {
        const job = await queues.byName.scripts.getJob(child);
        return !job || job.finishedOn ? true : undefined;
      }),
    ),
  );
}
