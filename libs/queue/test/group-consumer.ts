import { ErrandConsumer } from '../src/bullmq/errand-consumer.js';
import { LockKeeper } from '../src/bullmq/lock-keeper.js';
import { cancelJob } from '../src/consume/cancel.js';
import { endOf } from '../src/consume/ended-job.js';
import { pauseOf } from '../src/consume/retry-policy.js';
import { JobRunner, type Handle } from '../src/consume/run-job.js';
import { RunningJobs } from '../src/consume/running-jobs.js';
import type { ConsumeOptions, Consumer, InvocationRecord, Outcome } from '../src/index.js';
import type { WorkQueue } from '../src/redis/names.js';

/** Does what `consume` does with the consumer that ends and takes jobs in groups. */
export function consumeInGroups(url: string, queue: WorkQueue, options: ConsumeOptions, handle: Handle): Consumer {
  const { onError, concurrency, lockMs, stalledMs, slots } = options;
  const runningJobs = new RunningJobs(url, queue, onError);
  const locks = new LockKeeper(runningJobs.redis, queue, lockMs, {
    lost: ({ id, attempt }) => runningJobs.supersede(id, attempt),
    error: onError,
  });
  const runner = new JobRunner(queue, runningJobs, locks, handle, onError, (id, wait) =>
    consumer.waitWithoutSlot(id, wait),
  );
  const consumer: ErrandConsumer<InvocationRecord, Outcome> = new ErrandConsumer<InvocationRecord, Outcome>(
    queue,
    (job, token) => runner.run(job, token),
    {
      connection: runningJobs.redis,
      concurrency,
      lockMs,
      stalledMs,
      maxStalledCount: 1,
      pauseAfter: (_attempts, error) => pauseOf(error),
      locks,
      isIndexed: true,
      shared: slots,
      onError,
      onEnded: (job) => options.onEnded?.(endOf(job)),
      onRetried: (job) => void cancelJob(runningJobs.redis, queue, job, 'settle').catch(onError),
    },
  );
  return {
    ready: async () => {
      await Promise.all([consumer.waitUntilReady(), runningJobs.ready()]);
    },
    close: async () => {
      await consumer.drain(runningJobs.redis);
      runningJobs.close();
    },
  };
}
