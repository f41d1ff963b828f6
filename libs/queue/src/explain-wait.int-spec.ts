import { newInvocationId, type QueuePlace } from '@errand/contracts';
import { recordOf, succeed, useQueues } from '../test/use-queues.js';
import {
  explainWait,
  JournalWriter,
  ParkJob,
  readInvocation,
  scriptQueue,
  submitInvocations,
  Wakeups,
  type Queues,
  type Outcome,
  type SubmitOptions,
  type Work,
} from './index.js';
import { PATIENCE_MS } from '../../../test/support/eventually.js';

const kit = useQueues({ retention: { ageSeconds: 3_600, count: 1_000_000 }, each: true });
const { serve, until } = kit;
let queues: Queues;
let wakeups: Wakeups;
beforeEach(() => {
  ({ queues, wakeups } = kit);
});

const RECORD = recordOf();

/** Ids in the order of their time, also where they are made within one ms. */
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

/** One at a time; what it runs first waits until it is let go. */
const serveOne = (handle: (work: Work) => Promise<Outcome> = succeed) =>
  serve('invocations', handle, { concurrency: 1 });

describe('why an invocation waits', () => {
  it('is told in words, with its place, by lanes', async () => {
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

  it('is an answer, or the next attempt', async () => {
    const [asking] = (await submit(1)) as [string];
    const [failing] = (await submit(1)) as [string];
    await serveOne(async ({ id }) => {
      if (id === asking) throw new ParkJob(undefined, 'answer');
      throw new Error('away');
    });
    await until(asking, 'waiting_external');
    expect(await explain(asking)).toMatchObject({ position: null, waitingFor: 'an answer to step 0' });
    await wakeups.until(failing, AbortSignal.timeout(PATIENCE_MS), async () => {
      return (await queues.byName.invocations.getDelayedCount()) === 2 || undefined;
    });
    expect(await explain(failing)).toMatchObject({
      position: null,
      waitingFor: expect.stringMatching(/^its next attempt, at 20/) as string,
    });
  });

  it('is a script-runner of a label, for one that is parked until its script is taken', async () => {
    const [id] = (await submit(1)) as [string];
    await serveOne(async ({ attempt }) => {
      const journal = new JournalWriter(queues, 'invocations', id, attempt);
      await journal.writeStep(0, { status: 'running', waiting: { for: 'runner', label: 'gpu', until: null } });
      throw new ParkJob(undefined, 'time');
    });
    await wakeups.until(id, AbortSignal.timeout(PATIENCE_MS), async () =>
      (await explain(id))?.waitingFor ? true : undefined,
    );
    const nowhere = { position: null, ahead: null, etaMs: null };
    const runner = "script-runner that offers 'gpu'";
    expect(await explain(id)).toEqual({ ...nowhere, waitingFor: `a ${runner}: none is alive` });
    await serve(scriptQueue('gpu'), succeed);
    expect(await explain(id)).toEqual({ ...nowhere, waitingFor: `a free ${runner}` });
    // Who leaves in good order is away at once.
    await kit.endConsumers();
    expect(await explain(id)).toEqual({ ...nowhere, waitingFor: `a ${runner}: none is alive` });
  });

  it('is reckoned from real figures, deep in the queue at the same cost', async () => {
    const done = await submit(50);
    await serveOne();
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
});
