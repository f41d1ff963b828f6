import { Worker } from 'bullmq';
import { newInvocationId, ToolError } from '@errand/contracts';
import { eventually } from '../../../../test/support/eventually.js';
import { startRedis } from '../../../../test/support/start-redis.js';
import { LossyProxy } from '../../test/lossy-proxy.js';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import {
  AttemptFailed,
  connectQueues,
  consume,
  readInvocation,
  submitInvocation,
  type Outcome,
  type Work,
} from '../index.js';
import { keys } from '../redis/names.js';

const kit = useQueues({ each: true });
const { submit, until, keep } = kit;
const SLOW = { concurrency: 10, lockMs: 600_000, stalledMs: 600_000, onError: () => {} };

async function serve(handle: (work: Work) => Promise<Outcome>, concurrency = 10): Promise<void> {
  const consumer = keep(consume(kit.redis.url, 'invocations', { ...SLOW, concurrency }, handle));
  await consumer.ready();
}

async function statusOf(id: string, tenant: string): Promise<string | undefined> {
  return (await readInvocation(kit.queues, tenant, id))?.status;
}

describe('The consumer', () => {
  it('Each job runs once although replies of Redis are lost with their connection', async () => {
    const proxy = await LossyProxy.start(kit.redis.url);
    const starts = new Map<string, number>();
    const consumer = consume(proxy.url, 'invocations', SLOW, async ({ id }) => {
      starts.set(id, (starts.get(id) ?? 0) + 1);
      if (starts.size % 4 === 0) void proxy.loseNext();
      return succeed();
    });
    await consumer.ready();
    const ids = await Promise.all(Array.from({ length: 60 }, () => submit()));
    for (const id of ids) await until(id, 'succeeded');
    expect([...starts.values()]).toEqual(ids.map(() => 1));
    // The reply to the last end may be lost as well: the consumer closes when it has come again.
    await consumer.close();
    proxy.close();
  });

  it('Jobs end once each although Redis is killed and restarted meanwhile', async () => {
    const redis = await startRedis(undefined, { persistent: true });
    const queues = connectQueues(redis.url, { ageSeconds: 3_600, count: 1_000 });
    const ids = Array.from({ length: 60 }, () => newInvocationId());
    await Promise.all(ids.map((id) => submitInvocation(queues, 'invocations', id, recordOf())));
    let ended = 0;
    const onEnded = () => void ended++;
    const consumer = consume(redis.url, 'invocations', { ...SLOW, concurrency: 3, onEnded }, succeed);
    for (const limit of [5, 20, 40]) {
      await eventually(() => ended >= limit, `${limit} jobs have ended`);
      await redis.kill();
      await redis.restart();
    }
    await eventually(() => ended >= ids.length, 'all jobs have ended');
    await eventually(() => queues.redis.status === 'ready');
    const stored = await Promise.all(ids.map((id) => readInvocation(queues, 'default', id)));
    expect(stored.map((invocation) => [invocation?.status, invocation?.steps[0]?.attempts])).toEqual(
      ids.map(() => ['succeeded', 1]),
    );
    expect(ended).toBe(ids.length);
    await consumer.close();
    await queues.close();
    await redis.stop();
  });

  it('The consumer and a worker of BullMQ share a queue, and each job runs once', async () => {
    const starts: string[] = [];
    const connection = { url: kit.redis.url, maxRetriesPerRequest: null };
    const run = async ({ id = '' }: { id?: string | undefined }) => void starts.push(id);
    const worker = new Worker('invocations', run, { connection, prefix: '{errand}', concurrency: 5 });
    let own = 0;
    await serve(async ({ id }) => {
      own++;
      starts.push(id);
      return succeed();
    }, 5);
    await worker.waitUntilReady();
    const ids = await Promise.all(Array.from({ length: 300 }, () => submit()));
    await eventually(async () => (await kit.queues.byName.invocations.getCompletedCount()) === ids.length);
    expect(starts.toSorted()).toEqual(ids.toSorted());
    expect(own).toBeGreaterThan(0);
    await worker.close();
  });

  it.each([
    ['by an API, without its options,', false],
    ['by a worker or an older version, with its options,', true],
  ])('A job that was stored %s is retried after a pause and then ends', async (_, storesPlainOptions) => {
    const retention = { ageSeconds: 3_600, count: 1_000 };
    const submitting = connectQueues(kit.redis.url, retention, undefined, undefined, { storesPlainOptions });
    const failure = new ToolError('ServiceError', 'is away');
    await serve(async ({ attempt }) => {
      if (attempt < 3) throw new AttemptFailed(failure, 1);
      return succeed();
    });
    const id = newInvocationId();
    await submitInvocation(submitting, 'invocations', id, recordOf());
    const { steps } = await until(id, 'succeeded', 'failed');
    expect(steps).toMatchObject([{ status: 'succeeded', attempts: 3 }]);
    expect(await kit.queues.redis.hexists(keys.job('invocations', id), 'opts')).toBe(storesPlainOptions ? 1 : 0);
    await submitting.close();
  });

  it('A large result and a slow job do not delay the ends of others', async () => {
    let finish = () => {};
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const sizes: Record<string, number> = { large: 5_000_000 };
    await serve(async ({ record }) => {
      const kind = record.calls[0]?.arguments['kind'] as string;
      if (kind === 'slow') await slow;
      return { steps: [{ status: 'succeeded', result: 'x'.repeat(sizes[kind] ?? 1) }] };
    });
    const add = async (kind: string) => {
      const id = newInvocationId();
      await submitInvocation(kit.queues, 'invocations', id, recordOf({}, { arguments: { kind } }));
      return id;
    };
    const held = await add('slow');
    const ids = await Promise.all(['large', 'small', 'large', 'small', 'small'].map(add));
    for (const id of ids) await until(id, 'succeeded');
    expect((await readInvocation(kit.queues, 'default', held))?.status).toBe('running');
    finish();
    await until(held, 'succeeded');
  });

  it('A consumer that serves several tenants takes one job at a time if each keeps its thread busy', async () => {
    const ids = await Promise.all([
      ...Array.from({ length: 20 }, () => submit({}, { tenant: 'one' })),
      ...Array.from({ length: 20 }, () => submit({}, { tenant: 'other' })),
    ]);
    const starts: number[] = [];
    let turn = 0;
    await serve(async () => {
      setImmediate(() => turn++);
      starts.push(turn);
      for (const end = performance.now() + 3; performance.now() < end;);
      return succeed();
    });
    await eventually(() => starts.length === ids.length, 'all jobs have started');
    // The first group has as many as there are slots. Its cost limits the next ones.
    expect(new Set(starts.slice(10)).size).toBe(30);
  });

  it('The end of a job of a light tenant does not wait for the other jobs of its group', async () => {
    const others = await Promise.all(Array.from({ length: 9 }, () => submit({}, { tenant: 'heavy' })));
    const light = await submit({}, { tenant: 'light' });
    let firstOther = Infinity;
    await serve(async ({ record }) => {
      if (record.tenant === 'light') return succeed();
      firstOther = Math.min(firstOther, Date.now());
      for (const end = performance.now() + 3; performance.now() < end;);
      return succeed();
    });
    for (const id of others) await eventually(async () => (await statusOf(id, 'heavy')) === 'succeeded');
    const { finishedAt } = (await readInvocation(kit.queues, 'light', light)) ?? {};
    expect(Date.parse(finishedAt ?? '')).toBeLessThanOrEqual(firstOther);
  });

  it('A queue with a rate limit gives its jobs by the script of BullMQ, and all of them are running before they end', async () => {
    await kit.queues.byName.invocations.setGlobalRateLimit(3, 50);
    let finish = () => {};
    const gate = new Promise<void>((resolve) => (finish = resolve));
    const ids = await Promise.all(Array.from({ length: 10 }, () => submit()));
    // It is notified of a start by nothing else.
    const started = Promise.all(ids.map((id) => until(id, 'running')));
    await serve(async () => gate.then(succeed));
    await started;
    finish();
    for (const id of ids) await until(id, 'succeeded');
  });

  it('Two consumers at their concurrency wake each other, so that no job waits beside a free slot', async () => {
    let finish = () => {};
    const gate = new Promise<void>((resolve) => (finish = resolve));
    const hold = async () => gate.then(succeed);
    await serve(hold, 1);
    await serve(hold, 1);
    const ids = await Promise.all([submit(), submit()]);
    for (const id of ids) await until(id, 'running');
    finish();
    for (const id of ids) await until(id, 'succeeded');
  });

  it("BullMQ's Queue pauses, drains, resumes and obliterates a queue while the consumer runs", async () => {
    let finish = () => {};
    const gate = new Promise<void>((resolve) => (finish = resolve));
    await serve(async () => gate.then(succeed), 1);
    const queue = kit.queues.byName.invocations;
    const ids = [await submit(), await submit(), await submit({ priority: 2 })];
    await until(ids[0] ?? '', 'running');
    await queue.pause();
    finish();
    await until(ids[0] ?? '', 'succeeded');
    expect(await queue.getJobCounts('waiting', 'active')).toEqual({ waiting: 2, active: 0 });
    await queue.drain();
    expect(await queue.getWaitingCount()).toBe(0);
    const waiting = await submit();
    await queue.resume();
    await until(waiting, 'succeeded');
    await queue.obliterate();
    expect(await kit.queues.redis.keys('{errand}:invocations:inv_*')).toEqual([]);
    // Obliteration leaves a queue paused.
    await queue.resume();
    await until(await submit(), 'succeeded');
  });
});
