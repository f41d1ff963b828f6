import { newInvocationId } from '@errand/contracts';
import { Queue, Worker } from 'bullmq';
import { startRedis, type TestRedis } from '../../../../test/support/start-redis.js';
import { connectQueues, consume, submitInvocations, type InvocationRecord } from '../index.js';

const COUNT = 2_000;
const OUTCOME = { steps: [{ status: 'succeeded' as const, result: { text: 'what an echo says' } }] };
const WORK = { concurrency: 50, lockMs: 10_000, stalledMs: 5_000, onError: () => {} };

const RECORD: InvocationRecord = {
  tenant: 'default',
  mode: 'sequence',
  calls: [
    {
      toolId: 'core:echo',
      version: '1.0.0',
      kind: 'node',
      digest: 'sha256-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      arguments: { value: { text: 'what an echo says' } },
    },
  ],
};

/** Common retention settings of BullMQ. */
const KEEP = { age: 604_800, count: 100_000 };
const OPTIONS = {
  attempts: 3,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: KEEP,
  removeOnFail: KEEP,
};

let redis: TestRedis[] = [];
beforeEach(async () => {
  redis = await Promise.all([startRedis(), startRedis()]);
});
afterEach(async () => {
  await Promise.all(redis.map((one) => one.stop()));
});

/** The memory of one more job in bytes. The first 1,000 jobs absorb the fixed costs. */
async function bytesOfOne(add: (count: number) => Promise<void>, used: () => Promise<number>): Promise<number> {
  await add(1_000);
  const before = await used();
  await add(COUNT);
  return ((await used()) - before) / COUNT;
}

async function usedMemory(info: (section: string) => Promise<string>): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await info('memory'))![1]);
}

const done = async (ended: () => Promise<number>, count: number) => {
  while ((await ended()) < count) await new Promise(setImmediate);
};

async function ofRaw({ url }: TestRedis, run: boolean): Promise<number> {
  const queue = new Queue('invocations', { connection: { url }, prefix: '{errand}' });
  const client = (await queue.getBackend().client) as unknown as { info(section: string): Promise<string> };
  const options = { connection: { url, maxRetriesPerRequest: null }, prefix: '{errand}', concurrency: 50 };
  const worker = run ? new Worker('invocations', async () => OUTCOME, options) : undefined;
  let added = 0;
  const add = async (count: number) => {
    const jobs = Array.from({ length: count }, () => ({
      name: 'core:echo',
      data: RECORD,
      opts: { jobId: newInvocationId(), ...OPTIONS },
    }));
    await queue.addBulk(jobs);
    added += count;
    if (run) await done(() => queue.getCompletedCount(), added);
  };
  const bytes = await bytesOfOne(add, () => usedMemory((section) => client.info(section)));
  await worker?.close();
  await queue.close();
  return bytes;
}

async function ofOurs({ url }: TestRedis, run: boolean): Promise<number> {
  const queues = connectQueues(url, { ageSeconds: KEEP.age, count: KEEP.count });
  const consumer = run ? consume(url, 'invocations', WORK, async () => OUTCOME) : undefined;
  let added = 0;
  const add = async (count: number) => {
    const fresh = Array.from({ length: count }, () => ({
      queue: 'invocations' as const,
      id: newInvocationId(),
      record: RECORD,
    }));
    for (let from = 0; from < count; from += 1_000) await submitInvocations(queues, fresh.slice(from, from + 1_000));
    added += count;
    if (run) await done(() => queues.byName.invocations.getCompletedCount(), added);
  };
  const bytes = await bytesOfOne(add, () => usedMemory((section) => queues.redis.info(section)));
  await consumer?.close();
  await queues.close();
  return bytes;
}

describe('The memory of an invocation', () => {
  it.each([
    // A lane is a sorted set, which takes about 90 bytes a job more than the list of the bare job. A plain job stores no options.
    ['waits', 1.12, false],
    // On a slow machine the statistics of the jobs lie in more buckets.
    ['has ended', 1, true],
  ])('An invocation that %s uses at most %d times the memory of a bare BullMQ job', async (_, most, run) => {
    const [raw, ours] = [await ofRaw(redis[0]!, run), await ofOurs(redis[1]!, run)];
    console.info(`bytes: bare ${raw.toFixed(0)}, with the index ${ours.toFixed(0)}, ratio ${(ours / raw).toFixed(2)}`);
    expect(raw).toBeGreaterThan(500);
    expect(ours / raw).toBeLessThan(most);
  });
});
