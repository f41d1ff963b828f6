import { newInvocationId } from '@errand/contracts';
import type { Worker } from 'bullmq';
import { idleWorker } from '../../test/idle-worker.js';
import { recordOf, useQueues } from '../../test/use-queues.js';
import { jobIdOf } from '../bullmq/layout.js';
import { submitInvocations } from '../index.js';
import { keys } from '../redis/names.js';
import type { InvocationRecord } from '../state/record.js';
import { suspendJob, SuspendJob } from '../suspend/suspend-job.js';
import { rulesArgs, USUAL_RULES, type FairRules } from './fair-rules.js';

const kit = useQueues({ each: true });
const TOKEN = 'token';
const MEAN_MS = 100;
const HELD_MS = 60_000;

async function submit(tenant: string): Promise<string> {
  const id = newInvocationId();
  await submitInvocations(kit.queues, [{ queue: 'invocations', id, record: recordOf({ tenant }) }]);
  return id;
}

function consumerOf(rules: FairRules): Worker<InvocationRecord> {
  return idleWorker(kit.redis.url, 'invocations', { fair: () => rulesArgs(rules, 0) });
}

/** The virtual time of a tenant in its ring, or of one that has left it. */
async function timeOf(tenant: string): Promise<number> {
  const [ring, ahead] = await Promise.all(
    ['ring:0', 'ahead:0'].map((name) => kit.queues.redis.zscore(keys.fair('invocations', name), tenant)),
  );
  return Number(ring ?? ahead ?? 0);
}

/** By how much the virtual time of a tenant grows when its job gives up a slot that it has held for 600 times the mean. */
async function chargeFor(
  rules: FairRules,
  release: (worker: Worker<InvocationRecord>, id: string, record: InvocationRecord) => Promise<unknown>,
): Promise<number> {
  const worker = consumerOf(rules);
  for (const tenant of ['other', 'slow', 'other', 'slow', 'other']) await submit(tenant);
  let job = await worker.getNextJob(TOKEN, { block: false });
  for (let n = 0; job?.data.tenant !== 'slow' && n < 4; n++) job = await worker.getNextJob(TOKEN, { block: false });
  if (!job) throw new Error('No job of the slow tenant has started');
  const { redis } = kit.queues;
  if (rules.cost === 'time') await redis.set(keys.fair('invocations', 'mean'), MEAN_MS);
  await redis.hset(keys.job('invocations', jobIdOf(job)), 'processedOn', Date.now() - HELD_MS);
  const before = await timeOf('slow');
  await release(worker, jobIdOf(job), job.data);
  return (await timeOf('slow')) - before;
}

const RELEASES: [string, Parameters<typeof chargeFor>[1]][] = [
  ['A retry at once', (worker, id) => worker.getBackend().retryJob(id, false, TOKEN)],
  ['A retry after a pause', (worker, id) => worker.getBackend().moveToDelayed(id, Date.now(), 60_000, TOKEN)],
  [
    'A suspension',
    (_, id, record) =>
      suspendJob(kit.queues.redis, 'invocations', { id, token: TOKEN, record }, new SuspendJob(undefined, 'answer')),
  ],
];

it.each(RELEASES)('%s pays for the slot time until then, as the end of a job does', async (_, release) => {
  // The highest cost is 10, and 1 was paid at the start.
  expect(await chargeFor(USUAL_RULES, release)).toBeCloseTo(9);
});

it.each(RELEASES)('%s pays nothing more where each start costs the same', async (_, release) => {
  expect(await chargeFor({ ...USUAL_RULES, cost: 'count' }, release)).toBe(0);
});

it('A job that gives up its slot pays also while the others wait in the list of BullMQ, and these go to their lane', async () => {
  const { redis } = kit.queues;
  const worker = consumerOf(USUAL_RULES);
  await submit('slow');
  const job = await worker.getNextJob(TOKEN, { block: false });
  for (let n = 0; n < 2; n++) await submit('other');
  expect(await redis.exists(keys.fair('invocations', 'levels'))).toBe(0);
  await redis.set(keys.fair('invocations', 'mean'), MEAN_MS);
  const id = job ? jobIdOf(job) : '';
  await redis.hset(keys.job('invocations', id), 'processedOn', Date.now() - HELD_MS);
  await worker.getBackend().moveToDelayed(id, Date.now(), 60_000, TOKEN);
  expect(await timeOf('slow')).toBeCloseTo(9);
  expect(await redis.zcard(keys.fair('invocations', 'lane:0:other:'))).toBe(2);
});
