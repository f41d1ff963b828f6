import { ToolError, type Failure } from '@errand/contracts';
import { cancelChild, recordChild, type Child } from './cancel.js';
import type { Queues } from '../redis/connect.js';
import { countConsumers } from './heartbeats.js';
import { readLastEvent } from '../state/event-log.js';
import { readFailure } from './retry-policy.js';
import { SupersededError } from '../bullmq/held-lock.js';
import { childId, keys, labelOf, scriptQueue } from '../redis/names.js';
import type { InvocationRecord, StepOutcome } from '../state/record.js';
import { readJob, type StoredJob } from '../state/stored-job.js';
import { jobOptions } from '../enqueue/job-options.js';
import { addWaiter } from '../suspend/waiters.js';
import type { NotificationHub } from '../suspend/notifications.js';

/** A runner that takes the script sooner is waited for in place: to leave the process and come back costs more. */
const IN_PLACE_MS = 2_000;

/** How a script runs for an invocation. */
export interface ChildRun {
  /** The node that asks for it, where one does. */
  node?: string;
  /** What its script-runner must offer; absent: `default`. */
  label?: string;
  /** Is told how much of the script is done, from 0 to 1: the invocation is more than that. */
  onProgress?: (value: number, message?: string) => void;
}

/** No script-runner that offers the label was free. The invocation, once parked, is woken when one takes the script, or it ends. */
export class RunnerAwaited extends Error {
  constructor(
    readonly label: string,
    /** Resolves when one has taken it, or the signal fires: for an invocation that has something else to do meanwhile. */
    readonly taken: (signal: AbortSignal) => Promise<true | undefined>,
  ) {
    super(`No script-runner that offers '${label}' is free`);
    this.name = 'RunnerAwaited';
  }
}

/** How a script failed that was tried as often as it may be. */
export class ScriptFailed extends ToolError {
  constructor(
    { type, message, details }: Failure,
    readonly attempts: number,
  ) {
    super(type, message, details);
  }
}

type ChildRecord = InvocationRecord & { parent: { invocationId: string; step: number } };

/**
 * Has a script-runner run one call of an invocation and waits for its end, asleep. The child's id is derived from the invocation and
 * the step: asked again, by a worker that took over, it is the same run.
 * @throws ScriptFailed; CancelledError when `signal` fires first, which ends the script, too, unless another
 *   process has taken the invocation over and waits for it in turn; RunnerAwaited
 */
export async function runChild(
  queues: Queues,
  notifications: NotificationHub,
  record: ChildRecord,
  signal: AbortSignal,
  { node, label, onProgress }: ChildRun = {},
): Promise<StepOutcome> {
  const { invocationId, step } = record.parent;
  const id = childId(invocationId, step, node);
  const child = { id, queue: await recordChild(queues, invocationId, { id, queue: scriptQueue(label) }) };
  const run = new WatchedChild(queues, child, record, signal, onProgress);
  const ended = await waitForChild(queues, notifications, run);
  if (!ended) {
    if (!(signal.reason instanceof SupersededError)) await cancelChild(queues, child);
    throw new ToolError('CancelledError', 'The script was ended');
  }
  await queues.redis.unlink(keys.events(id), keys.state(id));
  // One that succeeded at a later try still has the reason of the one that failed.
  if (ended.returnvalue) return ended.returnvalue.steps[0]!;
  throw new ScriptFailed(readFailure(ended.failedReason), ended.attempts);
}

/** Waits for its end; for that of one with a label only once it runs. Undefined when its signal fires. */
async function waitForChild(
  queues: Queues,
  notifications: NotificationHub,
  run: WatchedChild,
): Promise<StoredJob | undefined> {
  const { child, record, signal } = run;
  const untilEnd = (patience: AbortSignal) => notifications.until(child.id, patience, () => run.look());
  const label = labelOf(child.queue);
  if (label === undefined) return untilEnd(signal);
  const patienceMs = (await countConsumers(queues.redis, child.queue)) > 0 ? IN_PLACE_MS : 0;
  const ended = await untilEnd(AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]));
  if (ended || signal.aborted) return ended;
  await addWaiter(queues, child.id, record.parent.invocationId, [keys.job(child.queue, child.id)]);
  // Whatever comes from now on wakes the invocation. What came just before is seen now.
  const last = await run.look();
  if (last || run.isTaken) return last ?? untilEnd(signal);
  const taken = async () => ((await run.look()) || run.isTaken ? true : undefined);
  throw new RunnerAwaited(label, (patience) => notifications.until(child.id, patience, taken));
}

/** The job of a script, as it was last seen. */
class WatchedChild {
  /** A script-runner has it in hand. */
  isTaken = false;
  private told = 0;

  constructor(
    private readonly queues: Queues,
    readonly child: Child,
    readonly record: ChildRecord,
    readonly signal: AbortSignal,
    private readonly onProgress: ChildRun['onProgress'],
  ) {}

  /** The job, once it has ended. Where there is none, it is made. */
  async look(): Promise<StoredJob | undefined> {
    const { id, queue } = this.child;
    const job = await readJob(this.queues, id, [queue]);
    if (!job) {
      this.signal.throwIfAborted();
      const call = this.record.calls[0]!;
      await this.queues.of(queue).add(call.toolId, this.record, { jobId: id, ...jobOptions({}) });
      return undefined;
    }
    this.isTaken = job.locked;
    await this.tellProgress();
    return job.finishedOn ? job : undefined;
  }

  /** It tells its progress under its own id; the last that it told is what counts. */
  private async tellProgress(): Promise<void> {
    if (!this.onProgress) return;
    const last = await readLastEvent(this.queues, this.child.id);
    if (last?.event.event !== 'progress' || last.number <= this.told) return;
    this.told = last.number;
    this.onProgress(last.event.value, last.event.message);
  }
}
