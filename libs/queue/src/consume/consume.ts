import { cancelJob } from './cancel.js';
import { ConsumerPresence } from './heartbeats.js';
import { endOf, type EndedJob } from './ended-job.js';
import { pauseOf } from './retry-policy.js';
import { RunningJobs } from './running-jobs.js';
import { LockKeeper } from '../bullmq/lock-keeper.js';
import { keys, PREFIX, type WorkQueue } from '../redis/names.js';
import type { InvocationRecord, Outcome } from '../state/record.js';
import { JobRunner, type Handle } from './run-job.js';
import { ErrandWorker } from '../bullmq/errand-worker.js';
import type { Semaphore } from '@errand/contracts';

export interface ConsumeOptions {
  /** How many jobs at a time, at the most. */
  concurrency: number;
  /** Shared with other consumers of the process: a job is taken only where one of them is free. */
  slots?: Semaphore;
  /** A job whose process gives no sign of life for `lockMs` is free for others, who look every `stalledMs`. */
  lockMs: number;
  stalledMs: number;
  onError: (error: Error) => void;
  /** Is told of each job that this process has brought to its end. */
  onEnded?: (ended: EndedJob) => void;
}

export interface Consumer {
  /** Takes nothing new; resolves when what was in hand has ended and is stored. */
  close(): Promise<void>;
  ready(): Promise<void>;
}

/**
 * Runs `handle` for each job of a queue. What it returns is stored as the outcome; a SuspendJob that it throws puts the job aside; a
 * AttemptFailed says itself whether it is tried again; a ToolError is, where a retry may mend it and as often as the caller allows;
 * anything else thrown is a fault of the platform, and treated as such a one.
 * A job whose end is wished ends as cancelled, whatever `handle` still gives.
 */
export function consume(url: string, queue: WorkQueue, options: ConsumeOptions, handle: Handle): Consumer {
  const runningJobs = new RunningJobs(url, queue, options.onError);
  const locks = new LockKeeper(runningJobs.redis, queue, options.lockMs, {
    lost: ({ id, attempt }) => runningJobs.lose(id, attempt),
    error: options.onError,
  });
  const runner = new JobRunner(queue, runningJobs, locks, handle, options.onError, (id, wait) =>
    worker.waitWithoutSlot(id, wait),
  );
  const { slots } = options;
  const worker: ErrandWorker<InvocationRecord, Outcome> = new ErrandWorker<InvocationRecord, Outcome>(
    queue,
    (job, token) => runner.run(job, token!),
    {
      connection: runningJobs.redis,
      prefix: PREFIX,
      concurrency: options.concurrency,
      lockDuration: options.lockMs,
      stalledInterval: options.stalledMs,
      // One death is bad luck, a second one with the same job is the job.
      maxStalledCount: 1,
      // How soon a result is written again that Redis was not there to take.
      runRetryDelay: 1_000,
      settings: { backoffStrategy: (_attempts, _type, error) => pauseOf(error) },
      locks,
      isIndexed: true,
      shared: slots && { slots: slots, redis: runningJobs.redis, marker: keys.set(queue, 'marker') },
    },
  );
  const presence = new ConsumerPresence(runningJobs.redis, queue, options.onError);
  worker.on('error', options.onError);
  worker.on('completed', (job) => options.onEnded?.(endOf(job)));
  // Put back for a retry, it waits: a wish that came just before found it running, and nobody would look until its turn.
  worker.on('failed', (job) => {
    if (job?.finishedOn) options.onEnded?.(endOf(job));
    if (job && !job.finishedOn) cancelJob(runningJobs.redis, queue, job, 'settle').catch(options.onError);
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
