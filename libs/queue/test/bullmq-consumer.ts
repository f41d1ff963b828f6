import { Worker, type Processor, type WorkerOptions } from 'bullmq';
import { cancelJob } from '../src/consume/cancel.js';
import { pauseOf } from '../src/consume/retry-policy.js';
import { JobRunner, type Handle } from '../src/consume/run-job.js';
import { RunningJobs } from '../src/consume/running-jobs.js';
import { errandBackend } from '../src/bullmq/errand-backend.js';
import { jobIdOf } from '../src/bullmq/layout.js';
import { LockKeeper } from '../src/bullmq/lock-keeper.js';
import { PLAIN_OPTIONS } from '../src/bullmq/plain-options.js';
import type { ConsumeOptions, Consumer, InvocationRecord, Outcome } from '../src/index.js';
import { PREFIX } from '../src/redis/names.js';
import type { WorkQueue } from '../src/redis/queue-names.js';

/** BullMQ's worker, whose locks Errand keeps until the end of a job is stored. */
class LockedWorker extends Worker<InvocationRecord, Outcome> {
  constructor(
    name: string,
    processor: Processor<InvocationRecord, Outcome>,
    options: WorkerOptions,
    private readonly locks: LockKeeper,
  ) {
    super(name, processor, options, errandBackend({ isIndexed: true, locks }));
  }

  override async processJob(...given: Parameters<Worker<InvocationRecord, Outcome>['processJob']>) {
    const [job, token] = given;
    // A plain job stores no options. The backend adds them only to jobs that are read by id.
    if (job.opts.attempts === 0) Object.assign(job.opts, PLAIN_OPTIONS);
    const release = this.locks.keep(jobIdOf(job), token, job.attemptsStarted);
    return super.processJob(...given).finally(release);
  }
}

/** Does what `consume` does with BullMQ's `Worker` instead of Errand's consumer: the reference for what a job leaves in Redis. */
export function consumeWithBullmq(url: string, queue: WorkQueue, options: ConsumeOptions, handle: Handle): Consumer {
  const { onError, lockMs, stalledMs, concurrency } = options;
  const runningJobs = new RunningJobs(url, queue, onError);
  const locks = new LockKeeper(runningJobs.redis, queue, lockMs, {
    lost: ({ id, attempt }) => runningJobs.supersede(id, attempt),
    error: onError,
  });
  const runner = new JobRunner(queue, runningJobs, locks, handle, {
    onError,
    withoutSlot: (_id, wait) => wait,
    keepAttachments: options.keepAttachments,
  });
  const worker = new LockedWorker(
    queue,
    (job, token = '') => runner.run(job, token),
    {
      connection: runningJobs.redis,
      prefix: PREFIX,
      concurrency,
      lockDuration: lockMs,
      stalledInterval: stalledMs,
      maxStalledCount: 1,
      runRetryDelay: 1_000,
      settings: { backoffStrategy: (_attempts, _type, error) => pauseOf(error) },
      skipLockRenewal: true,
    },
    locks,
  );
  worker.on('error', onError);
  worker.on('failed', (job) => {
    if (job && !job.finishedOn) cancelJob(runningJobs.redis, queue, job, 'settle').catch(onError);
  });
  return {
    ready: async () => {
      await Promise.all([worker.waitUntilReady(), runningJobs.ready()]);
    },
    close: async () => {
      await worker.close();
      locks.close();
      runningJobs.close();
    },
  };
}
