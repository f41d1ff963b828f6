import { setTimeout as delay } from 'node:timers/promises';
import { newInvocationId, type QueuePlace } from '@errand/contracts';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  explainWait,
  JournalWriter,
  SuspendJob,
  readInvocation,
  scriptQueue,
  submitInvocations,
  NotificationHub,
  type Queues,
  type Outcome,
  type SubmitOptions,
  type Work,
} from '../index.js';
import { PATIENCE_MS } from '../../../../test/support/eventually.js';

const kit = useQueues({ retention: { ageSeconds: 3_600, count: 1_000_000 }, each: true });
const { serve, until } = kit;
let queues: Queues;
let notifications: NotificationHub;
beforeEach(() => {
  ({ queues, notifications } = kit);
});

const RECORD = recordOf();

/** Submits invocations whose sorted ids are in order of submission, even within 1 ms. */
async function submit(count: number, options: SubmitOptions = {}): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newInvocationId()).toSorted();
  for (let from = 0; from < count; from += 1_000) {
    const some = ids.slice(from, from + 1_000);
    await submitInvocations(
      queues,
      some.map((id) => ({ queue: 'invocations' as const, id, record: RECORD, options })),
    );
  }
  return ids;
}

async function explain(id: string): Promise<QueuePlace | undefined> {
  return explainWait(queues, (await readInvocation(queues, 'default', id))!);
}

/** A worker with one slot. */
const serveOne = (handle: (work: Work) => Promise<Outcome> = succeed) =>
  serve('invocations', handle, { concurrency: 1 });

describe('The reason why an invocation waits', () => {
  it('A waiting invocation reports its position and its reason, by priority and delay', async () => {
    const [first, second] = (await submit(2)) as [string, string];
    const [urgent] = (await submit(1, { priority: 1 })) as [string];
    const [later] = (await submit(1, { delayMs: 60_000 })) as [string];
    expect(await explain(first)).toEqual({
      position: 1,
      ahead: 0,
      waitingFor: 'a worker: none is alive',
      etaMs: null,
    });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await serveOne(async () => {
      await held;
      return { steps: [{ status: 'succeeded', result: 1 }] };
    });
    await until(first, 'running');
    expect(await explain(first)).toBeUndefined();
    expect(await explain(second)).toMatchObject({
      position: 1,
      waitingFor: 'a free worker: it is the next',
      etaMs: null,
    });
    expect(await explain(urgent)).toMatchObject({
      position: 2,
      waitingFor: expect.stringMatching(/1 is before it/) as string,
    });
    const { waitingFor, etaMs, position } = (await explain(later))!;
    expect(waitingFor).toMatch(/^its time, 20\d\d-\S+Z$/);
    expect(position).toBeNull();
    expect(etaMs).toBeGreaterThan(30_000);
    expect(etaMs).toBeLessThanOrEqual(60_000);
    letGo();
    await until(urgent, 'succeeded');
    expect(await explain(urgent)).toBeUndefined();
  });

  it('An invocation may wait for an answer or for its next attempt', async () => {
    const [asking] = (await submit(1)) as [string];
    const [failing] = (await submit(1)) as [string];
    await serveOne(async ({ id }) => {
      if (id === asking) throw new SuspendJob(undefined, 'answer');
      throw new Error('away');
    });
    await until(asking, 'waiting_external');
    expect(await explain(asking)).toMatchObject({ position: null, waitingFor: 'an answer to step 0' });
    await notifications.until(failing, AbortSignal.timeout(PATIENCE_MS), async () => {
      return (await queues.byName.invocations.getDelayedCount()) === 2 || undefined;
    });
    expect(await explain(failing)).toMatchObject({
      position: null,
      waitingFor: expect.stringMatching(/^its next attempt, at 20/) as string,
    });
  });

  it('An invocation suspended until its script is taken waits for a script-runner with the label', async () => {
    const [id] = (await submit(1)) as [string];
    await serveOne(async ({ attempt }) => {
      const journal = new JournalWriter(queues, 'invocations', id, attempt);
      await journal.writeStep(0, { status: 'running', waiting: { for: 'runner', label: 'gpu', until: null } });
      throw new SuspendJob(undefined, 'time');
    });
    await notifications.until(id, AbortSignal.timeout(PATIENCE_MS), async () =>
      (await explain(id))?.waitingFor ? true : undefined,
    );
    const nowhere = { position: null, ahead: null, etaMs: null };
    const runner = "script-runner that offers 'gpu'";
    expect(await explain(id)).toEqual({ ...nowhere, waitingFor: `a ${runner}: none is alive` });
    await serve(scriptQueue('gpu'), succeed);
    expect(await explain(id)).toEqual({ ...nowhere, waitingFor: `a free ${runner}` });
    // The count drops at once when a consumer closes properly.
    await kit.endConsumers();
    expect(await explain(id)).toEqual({ ...nowhere, waitingFor: `a ${runner}: none is alive` });
  });

  it('The position and the estimate of an invocation cost the same at any depth of the queue', async () => {
    const done = await submit(10);
    // A run that takes no time leaves nothing to estimate with: times are whole milliseconds.
    await serveOne(async () => (await delay(5), succeed()));
    await until(done.at(-1)!, 'succeeded');
    await kit.endConsumers();
    const ids = await submit(5_000);
    await queues.redis.zadd('{errand}:consumers:invocations', Date.now() + 60_000, 'another');
    const place = async (n: number) => (await explain(ids[n]!))!;
    expect(await place(0)).toMatchObject({ position: 1, etaMs: expect.any(Number) as number });
    expect((await place(0)).etaMs).toBeGreaterThan(0);
    const idle = (await place(0)).etaMs!;
    await queues.redis.lpush('{errand}:invocations:active', 'inv_somebody_else');
    expect((await place(0)).etaMs).toBeGreaterThan(idle);
    await queues.redis.del('{errand}:invocations:active');
    expect((await place(700)).ahead).toBe(700);
    expect((await place(3_000)).ahead).toBe(3_000);
    expect((await place(4_999)).ahead).toBe(4_999);
    const [near, far] = [await place(1_000), await place(4_000)];
    expect(near.etaMs).toBeGreaterThan(0);
    expect(far.etaMs! / near.etaMs!).toBeGreaterThan(2);
    const commands = async (n: number) => {
      await queues.redis.config('RESETSTAT');
      await explain(ids[n]!);
      const stats = await queues.redis.info('commandstats');
      const calls = [...stats.matchAll(/cmdstat_(?!config|info|xread)(\S+?):calls=(\d+)/g)];
      return Object.fromEntries(calls.map(([, name, count]) => [name, count])) as Record<string, string>;
    };
    expect(await commands(4_999)).toEqual(await commands(10));
  });

  describe('The estimated waiting time', () => {
    let letGo: () => void;
    let held: Promise<Outcome>;
    beforeEach(() => {
      held = new Promise((resolve) => (letGo = () => resolve(succeed())));
    });
    afterEach(() => letGo());

    /** Keeps this number of jobs running until the test ends. */
    async function hold(count: number): Promise<void> {
      const ids = await submit(count);
      await serve('invocations', () => held, { concurrency: count });
      for (const id of ids) await until(id, 'running');
    }
    const remember = (...ms: number[]) => queues.redis.rpush('{errand}:runs:invocations', ...ms.map(String));
    const etaOf = async (id: string) => (await explain(id))!.etaMs;

    it('The waiting time is unknown before a run has ended', async () => {
      await hold(1);
      const [, second] = await submit(2);
      expect(await etaOf(second!)).toBeNull();
    });

    it('The waiting time does not depend on how long the queue was idle', async () => {
      await remember(...Array.from({ length: 63 }, () => 1_000_000));
      await hold(1);
      const ids = await submit(3);
      // Two jobs are before it; one of them runs.
      expect(await etaOf(ids[1]!)).toBe(2_000_000);
      expect(await etaOf(ids[2]!)).toBe(3_000_000);
    });

    it('The waiting time is shorter if more jobs run at a time', async () => {
      await remember(1_000_000);
      await hold(4);
      const ids = await submit(4);
      expect(await etaOf(ids[3]!)).toBe(1_000_000);
    });

    it('The waiting time is at least as long as the running jobs suggest', async () => {
      await remember(1);
      await hold(1);
      const [running] = await queues.redis.lrange('{errand}:invocations:active', 0, -1);
      await queues.redis.hset(`{errand}:invocations:${running}`, 'processedOn', Date.now() - 3_600_000);
      const [first] = await submit(1);
      expect(await etaOf(first!)).toBeGreaterThanOrEqual(3_600_000);
    });

    it('The waiting time is unknown while no worker is alive', async () => {
      await remember(1_000);
      const [first] = await submit(1);
      expect(await etaOf(first!)).toBeNull();
    });

    it('The waiting time counts jobs without a priority before jobs with one', async () => {
      await remember(1_000_000);
      await hold(1);
      const [urgent] = await submit(1, { priority: 1 });
      const before = await etaOf(urgent!);
      await submit(2);
      expect([before, await etaOf(urgent!)]).toEqual([1_000_000, 3_000_000]);
    });

    it('The waiting time uses each run that ends, but no job that never began', async () => {
      const ids = await submit(2);
      await cancelInvocation(queues, 'default', ids[0]!);
      expect(await queues.redis.llen('{errand}:runs:invocations')).toBe(0);
      await serveOne();
      await until(ids[1]!, 'succeeded');
      expect(await queues.redis.llen('{errand}:runs:invocations')).toBe(1);
    });
  });
});
