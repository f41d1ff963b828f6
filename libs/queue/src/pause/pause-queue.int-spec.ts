import { newInvocationId, ToolError } from '@errand/contracts';
import { idleWorker } from '../../test/idle-worker.js';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import {
  AttemptFailed,
  explainWait,
  nextJobs,
  pauseQueue,
  readQueue,
  resumeQueue,
  scriptQueue,
  submitInvocation,
} from '../index.js';
import { keys } from '../redis/names.js';
import { EVERY_TENANT } from '../state/tenant-reach.js';
import { eventually } from '../../../../test/support/eventually.js';
import { readPause } from './pause-queue.js';

const kit = useQueues({ each: true });
const PAUSE = { at: '2026-01-02T03:04:05.678Z', by: 'key:0123', note: 'the model misbehaves' };
const look = () => readQueue(kit.queues, 'invocations', EVERY_TENANT);

async function explanationOf(id: string): Promise<string | undefined> {
  const invocation = await kit.until(id, () => true);
  return (await explainWait(kit.queues, invocation))?.waitingFor;
}

describe('A paused queue', () => {
  it('A paused queue starts no delayed, urgent or retried job of any tenant, and a resume starts all', async () => {
    const starts: string[] = [];
    const retried = await kit.submit();
    let isPaused = () => {};
    const paused = new Promise<void>((resolve) => (isPaused = resolve));
    await kit.serve('invocations', async ({ id, attempt }) => {
      starts.push(id);
      if (id !== retried || attempt > 1) return succeed();
      await paused;
      throw new AttemptFailed(new ToolError('ServiceError', 'once'), 1);
    });
    await eventually(() => starts.length === 1);
    await pauseQueue(kit.queues, 'invocations', PAUSE);
    const before = starts.length;
    const waiting = [
      await kit.submit(),
      await kit.submit({ priority: 1 }),
      await kit.submit({ delayMs: 1 }),
      await kit.submit({}, { tenant: 'acme' }),
      await kit.submit({ priority: 5 }, { tenant: 'acme', agent: 'ada' }),
    ];
    isPaused();
    await eventually(async () => {
      const { waiting: count, later, active } = await look();
      return count === waiting.length + 1 && later === 0 && active === 0;
    });
    expect(starts.length).toBe(before);
    expect((await look()).paused).toEqual(PAUSE);
    await resumeQueue(kit.queues, 'invocations');
    await eventually(() => starts.length === before + waiting.length + 1);
    expect(starts.slice(before).toSorted()).toEqual([...waiting, retried].toSorted());
    expect((await look()).paused).toBeNull();
  });

  it('A job whose process died waits in a paused queue after it was put back', async () => {
    const id = await kit.submit();
    await idleWorker(kit.redis.url, 'invocations', { lockMs: 500 }).getNextJob('token', { block: false });
    await pauseQueue(kit.queues, 'invocations', PAUSE);
    const starts: string[] = [];
    await kit.serve('invocations', async (work) => {
      starts.push(work.id);
      return succeed();
    });
    await eventually(async () => (await look()).waiting === 1);
    expect([starts, (await look()).active]).toEqual([[], 0]);
    await resumeQueue(kit.queues, 'invocations');
    await eventually(() => starts.includes(id));
  });

  it('An invocation in a paused queue says who paused it, since when and why', async () => {
    await pauseQueue(kit.queues, 'invocations', PAUSE);
    await kit.serve('invocations', succeed);
    const said = await explanationOf(await kit.submit());
    expect(said).toBe(`the queue 'invocations', which is paused by ${PAUSE.by} since ${PAUSE.at}: ${PAUSE.note}`);
    const later = await explanationOf(await kit.submit({ delayMs: 3_600_000 }));
    expect(later).toContain(`then the queue 'invocations', which is paused by ${PAUSE.by}`);
  });

  it('A running invocation says that its script waits in a paused queue', async () => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    await kit.serve('invocations', async () => {
      await ended;
      return succeed();
    });
    const id = await kit.submit();
    await kit.until(id, 'running');
    await pauseQueue(kit.queues, 'scripts', PAUSE);
    expect(await explanationOf(id)).toBeUndefined();
    const record = recordOf({ parent: { invocationId: id, step: 0 } });
    await kit.queues.redis.hset(keys.children(id), `${id}.0`, 'scripts');
    await submitInvocation(kit.queues, 'scripts', `${id}.0`, record);
    expect(await explanationOf(id)).toContain("the queue 'scripts', which is paused by key:0123");
    end();
  });

  it('The pause of a label holds for that label alone', async () => {
    const gpu = scriptQueue('gpu');
    await pauseQueue(kit.queues, gpu, PAUSE);
    expect([await readPause(kit.queues, gpu), await readPause(kit.queues, 'scripts')]).toEqual([PAUSE, null]);
  });

  it('A second pause keeps the first one, and a resume ends it', async () => {
    await pauseQueue(kit.queues, 'deliveries', PAUSE);
    await pauseQueue(kit.queues, 'deliveries', { ...PAUSE, by: 'another', note: null });
    expect(await readPause(kit.queues, 'deliveries')).toEqual(PAUSE);
    await resumeQueue(kit.queues, 'deliveries');
    await resumeQueue(kit.queues, 'deliveries');
    expect(await readPause(kit.queues, 'deliveries')).toBeNull();
  });

  it("BullMQ's own pause has no name, can get one, and BullMQ's resume ends every pause", async () => {
    const queue = kit.queues.byName.invocations;
    await queue.pause();
    expect((await look()).paused).toEqual({ at: null, by: null, note: null });
    await pauseQueue(kit.queues, 'invocations', PAUSE);
    expect([await queue.isPaused(), (await look()).paused]).toEqual([true, PAUSE]);
    await queue.resume();
    expect([await queue.isPaused(), (await look()).paused]).toEqual([false, null]);
  });

  it.each(['', '{', '[]', '"x"', '{"at":1,"by":{},"note":["<b>"]}', '{"__proto__":{"by":"x"}}'])(
    'The text %j of another program counts as a pause without a name',
    async (text) => {
      await kit.queues.redis.hset(`${keys.job('scripts', '')}meta`, 'paused', text);
      expect(await readPause(kit.queues, 'scripts')).toEqual({ at: null, by: null, note: null });
    },
  );
});

describe('The next jobs of a queue', () => {
  it('The jobs that start next are those of each tenant in turn, and a tenant reads its own', async () => {
    const flood: string[] = [];
    for (let n = 0; n < 30; n++) flood.push(await kit.submit({}, { tenant: 'flood' }));
    const light = await kit.submit({}, { tenant: 'light' });
    const all = await nextJobs(kit.queues, 'invocations', EVERY_TENANT);
    expect(all).toHaveLength(20);
    expect(all.slice(0, 3).map(({ invocationId }) => invocationId)).toContain(light);
    const own = await nextJobs(kit.queues, 'invocations', 'light');
    expect(own).toEqual([{ invocationId: light, step: 0, toolId: 'test:tool', since: expect.any(String) }]);
    expect(await nextJobs(kit.queues, 'invocations', 'nobody')).toEqual([]);
    expect(flood).toHaveLength(30);
  });
});

describe('The numbers of a queue', () => {
  it('The operator reads rate, wait, delayed jobs and consumers; a tenant reads its own', async () => {
    await kit.serve('invocations', succeed, { concurrency: 3 });
    for (const tenant of ['acme', 'acme', 'corp']) {
      const id = newInvocationId();
      await submitInvocation(kit.queues, 'invocations', id, recordOf({ tenant }));
      await eventually(async () => (await look()).perMinute >= 1);
    }
    await eventually(async () => (await look()).perMinute === 3);
    await kit.submit({ delayMs: 3_600_000 }, { tenant: 'acme' });
    const of = (tenant: string) => readQueue(kit.queues, 'invocations', tenant);
    expect(await look()).toMatchObject({ perMinute: 3, later: 1, owed: 0, consumers: 1, slots: 3, paused: null });
    expect(await of('acme')).toMatchObject({ perMinute: 2, later: 1, consumers: 1 });
    expect(await of('corp')).toMatchObject({ perMinute: 1, later: 0 });
    expect(await of('nobody')).toMatchObject({ perMinute: 0, later: 0, p50WaitMs: 0, oldestMs: 0 });
  });
});
