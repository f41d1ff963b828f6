import { signalWithin, ToolError, type Failure } from '@errand/contracts';
import { cancelChild, recordChild, type Child } from './cancel.js';
import type { Queues } from '../redis/connect.js';
import { countConsumers } from './heartbeats.js';
import { readLastEvent } from '../state/event-log.js';
import { readFailure } from './retry-policy.js';
import { SupersededError } from '../bullmq/held-lock.js';
import { childId } from '../redis/job-ids.js';
import { keysOf } from '../redis/names.js';
import { labelOf, scriptQueue } from '../redis/queue-names.js';
import type { InvocationRecord, StepOutcome } from '../state/record.js';
import { readJob, type StoredJob } from '../state/stored-job.js';
import { jobOptions } from '../enqueue/job-options.js';
import { addWaiter } from '../suspend/waiters.js';
import type { NotificationHub } from '../suspend/notifications.js';

/** How long an invocation waits in its worker for a runner with a label. To suspend and resume it costs more than a short wait. */
const WAIT_IN_PLACE_MS = 2_000;

/** How a script runs for an invocation. */
interface ChildRun {
  /** The node that requests it, if a node does. */
  node?: string;
  /** The label that its script-runner must offer; `default` if absent. */
  label?: string;
  /** Called with the progress of the script, from 0 to 1. */
  onProgress?: (value: number, message?: string) => void;
}

/** No script-runner with the label was free. The suspended invocation is resumed when a runner takes the script, or when the script ends. */
export class RunnerAwaited extends Error {
  constructor(
    readonly label: string,
    /** Resolves when a runner has taken the script or the signal fires. For an invocation that has other work meanwhile. */
    readonly taken: (signal: AbortSignal) => Promise<true | undefined>,
  ) {
    super(`No script-runner that offers '${label}' is free`);
    this.name = 'RunnerAwaited';
  }
}

/** The failure of a script after its last attempt. */
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
 * Lets a script-runner run one call of an invocation and waits for its end. The job id is derived from the invocation and the step, so that
 * a worker that takes the invocation over finds the same run.
 * @throws ScriptFailed; CancelledError if `signal` fires first; RunnerAwaited. A fired signal also cancels the script, unless another
 *   process has taken the invocation over and waits for the script as well
 */
export async function runChild(
  queues: Queues,
  notifications: NotificationHub,
  record: ChildRecord,
  signal: AbortSignal,
  { node, label, onProgress }: ChildRun = {},
): Promise<StepOutcome> {
  const keys = keysOf(queues.redis);
  const { invocationId, step } = record.parent;
  const id = childId(invocationId, step, node);
  const child = { id, queue: await recordChild(queues, invocationId, { id, queue: scriptQueue(label) }) };
  const run = new WatchedChild(queues, child, record, signal, onProgress);
  const ended = await waitForChild(queues, notifications, run);
  if (!ended) {
    if (!(signal.reason instanceof SupersededError)) await cancelChild(queues, child);
    throw new ToolError('CancelledError', 'The script was ended');
  }
  // A job that succeeded after a failed attempt still has `failedReason`, so the return value decides.
  const [outcome] = ended.returnvalue?.steps ?? [];
  // After a failure, the journal stays: its mark keeps a script with `effects: once` from running again.
  await queues.redis.unlink(keys.events(id), keys.state(id), ...(outcome ? [keys.journal(id)] : []));
  if (outcome) return outcome;
  throw new ScriptFailed(readFailure(ended.failedReason), ended.attempts);
}

/** Waits for the end of a script. For a script with a label, only once it runs. Returns undefined if the signal fires. */
async function waitForChild(
  queues: Queues,
  notifications: NotificationHub,
  run: WatchedChild,
): Promise<StoredJob | undefined> {
  const keys = keysOf(queues.redis);
  const { child, record, signal } = run;
  const untilEnd = (limit: AbortSignal) => notifications.until(child.id, limit, () => run.readEnd());
  const label = labelOf(child.queue);
  if (label === undefined) return untilEnd(signal);
  const waitMs = (await countConsumers(queues.redis, child.queue)) > 0 ? WAIT_IN_PLACE_MS : 0;
  const ended = await untilEnd(signalWithin(signal, waitMs));
  if (ended || signal.aborted) return ended;
  await addWaiter(queues, child.id, record.parent.invocationId, [keys.job(child.queue, child.id)]);
  // Any change from now on resumes the invocation. This read finds an earlier one.
  const last = await run.readEnd();
  if (last || run.isTaken) return last ?? untilEnd(signal);
  const taken = async () => ((await run.readEnd()) || run.isTaken ? true : undefined);
  throw new RunnerAwaited(label, (limit) => notifications.until(child.id, limit, taken));
}

/** The job of a script and what the last read found. */
class WatchedChild {
  /** A script-runner runs it. */
  isTaken = false;
  /** The number of the last reported progress event. */
  private reported = 0;

  constructor(
    private readonly queues: Queues,
    readonly child: Child,
    readonly record: ChildRecord,
    readonly signal: AbortSignal,
    private readonly onProgress: ChildRun['onProgress'],
  ) {}

  /** Returns the job if it has ended. Adds the job if it does not exist. */
  async readEnd(): Promise<StoredJob | undefined> {
    const { id, queue } = this.child;
    const job = await readJob(this.queues, id, [queue]);
    if (!job) {
      this.signal.throwIfAborted();
      const name = this.record.calls[0]?.toolId ?? id;
      await this.queues.of(queue).add(name, this.record, { jobId: id, ...jobOptions({}) });
      return undefined;
    }
    this.isTaken = job.locked;
    await this.reportProgress();
    return job.finishedOn ? job : undefined;
  }

  /** The script emits its progress under its own id. Only the last event counts. */
  private async reportProgress(): Promise<void> {
    if (!this.onProgress) return;
    const last = await readLastEvent(this.queues, this.child.id);
    if (last?.event.event !== 'progress' || last.number <= this.reported) return;
    this.reported = last.number;
    this.onProgress(last.event.value, last.event.message);
  }
}
