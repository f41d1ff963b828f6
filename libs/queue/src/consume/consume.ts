import { cancelJob } from './cancel.js';
import { ConsumerPresence } from './heartbeats.js';
import { endOf, type EndedJob } from './ended-job.js';
import { pauseOf } from './retry-policy.js';
import { RunningJobs } from './running-jobs.js';
import { finishAndTake, type Ending } from '../bullmq/finish-and-take.js';
import { leanEndOf } from '../bullmq/lean-ends.js';
import { LockKeeper } from '../bullmq/lock-keeper.js';
import type { WorkQueue } from '../redis/queue-names.js';
import type { InvocationRecord, Outcome } from '../state/record.js';
import { rulesArgs, USUAL_RULES, type FairRules } from '../fair/fair-rules.js';
import { JobRunner, type Handle, type KeepAttachments } from './run-job.js';
import { ErrandConsumer } from '../bullmq/errand-consumer.js';
import type { Semaphore } from '@errand/contracts';

export interface ConsumeOptions {
  /** The highest number of jobs at the same time. */
  concurrency: number;
  /** Slots that consumers of the process share. A job is taken only if one is free. */
  slots?: Semaphore;
  /** The part of the free ones that one call claims, so that no consumer goes first. It claims one at least. The default is 0. */
  slotsPart?: number;
  /** The lock of a job expires `lockMs` after its last renewal. Other processes look for such jobs every `stalledMs`. */
  lockMs: number;
  stalledMs: number;
  onError: (error: Error) => void;
  /** The prefix of the keys of the queue, if it is that of a shard. */
  keyspace?: string | undefined;
  /** The id of the process in `GET /v1/processes`. */
  process?: string | undefined;
  /** How the slots are shared between tenants. */
  fair?: FairRules;
  /** Called before an invocation with attachments is suspended, or after a failed attempt of it. */
  keepAttachments?: KeepAttachments;
  /** Called for each job that ends in this process. */
  onEnded?: (ended: EndedJob) => void;
}

export interface Consumer {
  /** Takes no more jobs. Resolves when the running jobs have ended and their end is stored. */
  close(): Promise<void>;
  ready(): Promise<void>;
}

/**
 * Runs `handle` for each job of a queue and stores its result as the outcome. `handle` may throw:
 * - SuspendJob, to suspend the job;
 * - AttemptFailed, with its own decision on a retry;
 * - ToolError, which is retried if its type allows it, as often as the caller allows;
 * - any other error, which is an internal error and is retried like a ToolError.
 * A job with a cancel request ends as cancelled, whatever `handle` returns.
 */
export function consume(url: string, queue: WorkQueue, options: ConsumeOptions, handle: Handle): Consumer {
  const runningJobs = new RunningJobs(url, queue, options.onError, options.keyspace);
  const locks = new LockKeeper(runningJobs.redis, queue, options.lockMs, {
    lost: ({ id, attempt }) => runningJobs.supersede(id, attempt),
    error: options.onError,
  });
  const runner = new JobRunner(queue, runningJobs, locks, handle, {
    onError: options.onError,
    withoutSlot: (id, wait) => worker.waitWithoutSlot(id, wait),
    keepAttachments: options.keepAttachments,
  });
  const worker: ErrandConsumer<InvocationRecord, Outcome, Ending> = new ErrandConsumer(
    queue,
    (job, token) => runner.run(job, token),
    {
      connection: runningJobs.redis,
      concurrency: options.concurrency,
      process: options.process,
      lockMs: options.lockMs,
      stalledMs: options.stalledMs,
      // The first death of a process with a job may be bad luck. A second one is probably the fault of the job.
      maxStalledCount: 1,
      pauseAfter: (_attempts, error) => pauseOf(error),
      locks,
      isIndexed: true,
      leanEndOf,
      finishAndTake,
      fair: () => rulesArgs(options.fair ?? USUAL_RULES, presence.slots),
      allSlots: () => presence.slots,
      shared: options.slots,
      sharedPart: options.slotsPart,
      onError: options.onError,
      onEnded: (job) => options.onEnded?.(endOf(job)),
      // A job that waits for a retry may have a cancel request from just before. It must end now, not at its retry.
      onRetried: (job) => void cancelJob(runningJobs.redis, queue, job, 'settle').catch(options.onError),
    },
  );
  const presence = new ConsumerPresence(runningJobs.redis, queue, {
    slots: options.concurrency,
    lockMs: options.lockMs,
    takesJobs: () => worker.takesJobs,
    onError: options.onError,
  });
  return {
    close: async () => {
      await worker.drain(runningJobs.redis, presence.stop());
      runningJobs.close();
    },
    ready: async () => {
      await Promise.all([worker.waitUntilReady(), runningJobs.ready(), presence.ready()]);
    },
  };
}
