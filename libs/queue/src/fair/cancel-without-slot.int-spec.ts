import { ToolError } from '@errand/contracts';
import type { Job, Worker } from 'bullmq';
import { eventually } from '../../../../test/support/eventually.js';
import { idleWorker } from '../../test/idle-worker.js';
import { succeed, useQueues } from '../../test/use-queues.js';
import { jobIdOf } from '../bullmq/layout.js';
import { cancelledByRequest, cancelJob } from '../consume/cancel.js';
import type { EndedJob } from '../consume/ended-job.js';
import { toJobError } from '../consume/retry-policy.js';
import { AttemptFailed, cancelInvocation, cancelWaiting, type Outcome, type Work } from '../index.js';
import { keys } from '../redis/names.js';
import type { InvocationRecord } from '../state/record.js';
import { suspendJob, SuspendJob } from '../suspend/suspend-job.js';
import { rulesArgs, USUAL_RULES } from './fair-rules.js';

const kit = useQueues({ each: true });
const TOKEN = 'token';
const MEAN_MS = 100;
const DAY_MS = 86_400_000;

type Release = (worker: Worker<InvocationRecord>, id: string, record: InvocationRecord) => Promise<unknown>;

const suspend: Release = (_worker, id, record) =>
  suspendJob(kit.queues.redis, 'invocations', { id, token: TOKEN, record }, new SuspendJob(undefined, 'answer'));
const delay: Release = (worker, id) => worker.getBackend().moveToDelayed(id, Date.now(), DAY_MS, TOKEN);
const retryAtOnce: Release = (worker, id) => worker.getBackend().retryJob(id, false, TOKEN);

const cancelOne = (id: string) => cancelInvocation(kit.queues, 'default', id);
const cancelMany = (id: string) => cancelWaiting(kit.queues, 'default', [id], '');
/** Ends a job with a cancel request, as its worker does after it has put the job back. */
async function settle(id: string): Promise<void> {
  await kit.queues.redis.hset(keys.job('invocations', id), 'errand:cancel', Date.now());
  const job = await kit.queues.byName.invocations.getJob(id);
  if (job) await cancelJob(kit.queues.redis, 'invocations', job, 'settle');
}

async function takeOne(worker: Worker<InvocationRecord>): Promise<Job<InvocationRecord>> {
  await kit.submit();
  const job = await worker.getNextJob(TOKEN, { block: false });
  if (!job) throw new Error('No job has started');
  return job;
}

/** Lets others wait, and dates the last start of the job back by a day. Only while others wait is a job charged. */
async function waitForDay(id: string): Promise<void> {
  const { redis } = kit.queues;
  for (const tenant of ['other', 'third', 'other']) await kit.submit({}, { tenant });
  expect(await redis.exists(keys.fair('invocations', 'levels'))).toBe(1);
  await redis.set(keys.fair('invocations', 'mean'), MEAN_MS);
  await redis.hset(keys.job('invocations', id), 'processedOn', Date.now() - DAY_MS);
}

/** The virtual time of the tenant in its ring, or of one that has left it. */
async function timeOfTenant(): Promise<number> {
  const [ring, ahead] = await Promise.all(
    ['ring:0', 'ahead:0'].map((name) => kit.queues.redis.zscore(keys.fair('invocations', name), 'default')),
  );
  return Number(ring ?? ahead ?? 0);
}

/** What a cancel has recorded. `ran`: the run time in each entry of the statistics for a cancelled job, in ms as text; '-' for none. */
async function recorded() {
  const { redis } = kit.queues;
  const [mean, runs, log] = await Promise.all([
    redis.get(keys.fair('invocations', 'mean')),
    redis.lrange(keys.runs('invocations'), 0, -1),
    redis.lrange(keys.statsLog, 0, -1),
  ]);
  const ends = log.filter((entry) => entry.includes('"cancelled"'));
  return { mean: Number(mean), runs: runs.map(Number), ran: ends.map((entry) => entry.split(' ')[2]) };
}

const WITHOUT_SLOT: [string, Release, (id: string) => Promise<unknown>][] = [
  ['A suspended job', suspend, cancelOne],
  ['A job that waits for its retry', delay, cancelOne],
  ['A job that is ready for its retry', retryAtOnce, cancelOne],
  ['A job that was put back with a cancel request', delay, settle],
  ['A job that waits for its retry, in a bulk cancel,', delay, cancelMany],
  ['A job that is ready for its retry, in a bulk cancel,', retryAtOnce, cancelMany],
];

it.each(WITHOUT_SLOT)('%s is not charged for its wait when it is cancelled', async (_job, release, cancel) => {
  const worker = idleWorker(kit.redis.url, 'invocations', { fair: () => rulesArgs(USUAL_RULES, 0) });
  const job = await takeOne(worker);
  const id = jobIdOf(job);
  await release(worker, id, job.data);
  await waitForDay(id);
  const before = await timeOfTenant();
  const metrics: EndedJob[] = [];
  kit.queues.events.on('ended', (end) => metrics.push(end));
  await cancel(id);
  await kit.until(id, 'cancelled');
  expect(await recorded()).toEqual({ mean: MEAN_MS, runs: [], ran: ['-'] });
  expect(await timeOfTenant()).toBeLessThanOrEqual(before);
  expect(metrics.map(({ outcome, ranMs }) => ({ outcome, ranMs }))).toEqual(
    cancel === settle ? [] : [{ outcome: 'cancelled', ranMs: undefined }],
  );
});

it('A running job that is cancelled is charged until its end, and its run is recorded', async () => {
  const worker = idleWorker(kit.redis.url, 'invocations', { fair: () => rulesArgs(USUAL_RULES, 0) });
  const job = await takeOne(worker);
  const id = jobIdOf(job);
  await waitForDay(id);
  const before = await timeOfTenant();
  expect(await cancelOne(id)).toBe('cancelling');
  await job.moveToFailed(toJobError(cancelledByRequest()), TOKEN, false);
  await kit.until(id, 'cancelled');
  const { mean, runs, ran } = await recorded();
  expect(mean).toBeGreaterThan(DAY_MS / 64);
  expect(runs).toEqual([expect.any(Number)]);
  expect(runs[0]).toBeGreaterThanOrEqual(DAY_MS);
  expect(ran).toEqual(runs.map(String));
  // The highest cost is 10, and 1 was paid at the start.
  expect((await timeOfTenant()) - before).toBeCloseTo(9);
});

it('A running job of a consumer is charged when a cancel request stops it, after an earlier attempt that failed', async () => {
  const obey = async ({ record, attempt, signal }: Work): Promise<Outcome> => {
    if (record.tenant === 'other') return succeed();
    if (attempt === 1) throw new AttemptFailed(new ToolError('ServiceError', 'away'), 1);
    return new Promise((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason as Error);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  };
  await kit.serve('invocations', obey, { concurrency: 1, lockMs: 60_000, stalledMs: 60_000 });
  const id = await kit.submit({ attempts: 3 });
  const hash = keys.job('invocations', id);
  const isSecondRun = async () =>
    (await kit.queues.redis.hget(hash, 'ats')) === '2' && (await kit.queues.redis.exists(`${hash}:lock`)) === 1;
  await eventually(isSecondRun, 'the second attempt runs');
  await waitForDay(id);
  expect(await cancelOne(id)).toBe('cancelling');
  await kit.until(id, 'cancelled');
  const { mean, runs, ran } = await recorded();
  // The jobs of the others end, too, and lower the mean.
  expect(mean).toBeGreaterThan(DAY_MS / 100);
  expect(Math.max(...runs)).toBeGreaterThanOrEqual(DAY_MS);
  expect(Number(ran[0])).toBeGreaterThanOrEqual(DAY_MS);
});
