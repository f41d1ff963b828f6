import { newInvocationId, ToolError } from '@errand/contracts';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  consume,
  endChildren,
  noteRemoteTask,
  readInvocation,
  runChild,
  SuspendJob,
  type NotificationHub,
  type Outcome,
  type Queues,
  type SubmitOptions,
  type Work,
} from '../index.js';
import { eventually, PATIENCE_MS } from '../../../../test/support/eventually.js';
import { HeldRedis } from '../../../../test/support/held-redis.js';
import { FIELD } from '../redis/job-fields.js';
import { cancelJob } from './cancel.js';

const kit = useQueues();
const { serve, submit, until } = kit;
let queues: Queues;
let notifications: NotificationHub;
beforeAll(() => {
  ({ queues, notifications } = kit);
});

/** Works until its signal aborts. */
const obey = ({ signal }: Work): Promise<Outcome> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

const cancel = (id: string) => cancelInvocation(queues, 'default', id);
const isFailedForBullMq = async (id: string) => (await queues.byName.invocations.getJob(id))!.isFailed();

describe('Cancel requests', () => {
  it.each<[string, SubmitOptions]>([
    ['waits', {}],
    ['waits by priority', { priority: 5 }],
    ['is delayed', { delayMs: 60_000 }],
  ])('A cancel request ends an invocation that %s at once, and the invocation never starts', async (_how, options) => {
    const id = await submit(options);
    expect(await cancel(id)).toBe('cancelled');
    const ended = (await readInvocation(queues, 'default', id))!;
    expect(ended).toMatchObject({
      status: 'cancelled',
      startedAt: null,
      finishedAt: expect.any(String),
      error: { type: 'CancelledError' },
      steps: [{ status: 'cancelled', startedAt: null }],
    });
    expect(await isFailedForBullMq(id)).toBe(true);
    let starts = 0;
    await serve('invocations', async () => {
      starts += 1;
      return succeed();
    });
    await until(await submit(), 'succeeded');
    expect(starts).toBe(1);
  });

  it('A cancel request stops a running invocation, and repeated requests get the same response', async () => {
    await serve('invocations', obey);
    const id = await submit();
    await until(id, 'running');
    expect(await Promise.all([cancel(id), cancel(id), cancel(id)])).toEqual(Array(3).fill('cancelling'));
    expect((await until(id, 'cancelled')).error!.type).toBe('CancelledError');
    expect(await cancel(id)).toBe('ended');
  });

  it('A cancel request ends an invocation that waits for a retry, whose steps meanwhile show the last error', async () => {
    await serve('invocations', () => Promise.reject(new ToolError('ServiceError', 'away')));
    const id = await submit({ attempts: 5, backoff: { type: 'fixed', delayMs: 600_000 } });
    await notifications.until(id, AbortSignal.timeout(PATIENCE_MS), async () =>
      (await (await queues.byName.invocations.getJob(id))!.isDelayed()) ? true : undefined,
    );
    const error = { type: 'ServiceError', message: 'away' };
    expect(await until(id, 'queued')).toMatchObject({ error: null, steps: [{ status: 'queued', error }] });
    expect(await cancel(id)).toBe('cancelled');
    expect(await until(id, 'cancelled')).toMatchObject({ steps: [{ attempts: 1 }] });
  });

  it('A cancel request that arrives while a job fails ends the job without waiting for its retry', async () => {
    await serve('invocations', async ({ id }) => {
      // Simulates a cancel request whose notification has not reached this process yet.
      await queues.redis.hset(`{errand}:invocations:${id}`, 'errand:cancel', Date.now());
      throw new ToolError('ServiceError', 'away');
    });
    const id = await submit({ attempts: 5, backoff: { type: 'fixed', delayMs: 600_000 } });
    await until(id, 'cancelled');
  });

  it('A late report that a job waits again tells nothing once a later start runs', async () => {
    const id = await submit();
    await queues.redis.lmove('{errand}:invocations:wait', '{errand}:invocations:active', 'RIGHT', 'LEFT');
    const hash = `{errand}:invocations:${id}`;
    await queues.redis.hset(hash, 'ats', 1, 'processedOn', Date.now());
    const first = (await queues.byName.invocations.getJob(id))!;
    // The next start, which has lost its lock.
    await queues.redis.hset(hash, 'ats', 2);
    await cancelJob(queues.redis, 'invocations', first, 'settle');
    expect(await queues.redis.hget(hash, 'errand:told')).toBeNull();
    const second = (await queues.byName.invocations.getJob(id))!;
    await cancelJob(queues.redis, 'invocations', second, 'settle');
    expect(await queues.redis.hget(hash, 'errand:told')).toBe('queued');
    await cancel(id);
    await serve('invocations', obey);
    await until(id, 'cancelled');
  });

  it('A cancel request decides the status even if the work succeeds at the same moment', async () => {
    let finish: (outcome: Outcome) => void = () => {};
    await serve('invocations', () => new Promise((resolve) => (finish = resolve)));
    const id = await submit();
    await until(id, 'running');
    await queues.redis.hset(`{errand}:invocations:${id}`, 'errand:cancel', Date.now());
    finish(await succeed());
    expect(await until(id, 'cancelled', 'succeeded')).toMatchObject({
      status: 'cancelled',
      result: null,
      steps: [{ status: 'cancelled' }],
    });
  });

  it('A cancel request stops an invocation whose worker has taken it and has not begun to run it', async () => {
    const proxy = await HeldRedis.start(kit.redis.url, { call: 'take', side: 'after' });
    const options = { concurrency: 1, lockMs: 60_000, stalledMs: 60_000, onError: () => {} };
    await kit.keep(consume(proxy.url, 'invocations', options, obey)).ready();
    const id = await submit();
    await proxy.untilHeld();
    expect(await cancel(id)).toBe('cancelling');
    proxy.release();
    await until(id, 'cancelled');
    proxy.close();
  });

  it('The response to a cancel request always matches the final status of the invocation', async () => {
    await serve('invocations', async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return succeed();
    });
    const ids = await Promise.all(Array.from({ length: 100 }, () => submit()));
    const responses = await Promise.all(ids.map((id) => cancel(id)));
    const ends = await Promise.all(ids.map((id) => until(id, 'cancelled', 'succeeded')));
    expect(ends.map(({ status }) => status)).toEqual(
      responses.map((response) => (response === 'ended' ? 'succeeded' : 'cancelled')),
    );
  });

  it('A cancel request cannot reach an invocation of another tenant', async () => {
    const id = await submit();
    expect(await cancelInvocation(queues, 'stranger', id)).toBeUndefined();
    expect((await readInvocation(queues, 'default', id))!.status).toBe('queued');
    expect(await cancel(newInvocationId())).toBeUndefined();
    await cancel(id);
  });

  it('A process that takes over from a dead process sees the cancel request first', async () => {
    // Simulates a dead process that still holds the job until its lock expires.
    const id = await submit();
    const taken = await queues.redis.lmove('{errand}:invocations:wait', '{errand}:invocations:active', 'RIGHT', 'LEFT');
    expect(taken).toBe(id);
    await queues.redis.hset(`{errand}:invocations:${id}`, 'ats', 1, 'processedOn', Date.now());
    expect(await cancel(id)).toBe('cancelling');
    const aborted: boolean[] = [];
    await serve('invocations', async (work) => {
      aborted.push(work.signal.aborted);
      return obey(work);
    });
    await until(id, 'cancelled');
    expect(aborted).toEqual([true]);
  });

  it('A cancel request ends the scripts of an invocation before it ends the invocation', async () => {
    const order: string[] = [];
    await serve('scripts', async (work) => {
      try {
        return await obey(work);
      } finally {
        order.push('script');
      }
    });
    await serve('invocations', async (work) => {
      const child = { ...work.record, parent: { invocationId: work.id, step: 0 } };
      try {
        return { steps: [await runChild(queues, notifications, child, work.signal)] };
      } finally {
        await endChildren(queues, notifications, work.id);
        order.push('invocation');
      }
    });
    const id = await submit();
    await notifications.until(`${id}.0`, AbortSignal.timeout(PATIENCE_MS), async () =>
      (await queues.redis.exists(`{errand}:scripts:${id}.0:lock`)) ? true : undefined,
    );
    await cancel(id);
    await until(id, 'cancelled');
    expect(order).toEqual(['script', 'invocation']);
  });

  it('A cancel request leaves an invocation that waits for a worker to that worker, while its script runs', async () => {
    const consumer = await serve('scripts', obey);
    const id = await submit();
    const script = { ...recordOf(), parent: { invocationId: id, step: 0 } };
    const stop = new AbortController();
    const ran = runChild(queues, notifications, script, stop.signal).catch(() => 'stopped');
    await notifications.until(`${id}.0`, AbortSignal.timeout(PATIENCE_MS), async () =>
      (await queues.redis.exists(`{errand}:scripts:${id}.0:lock`)) ? true : undefined,
    );
    expect(await cancel(id)).toBe('cancelling');
    expect(await readInvocation(queues, 'default', id)).toMatchObject({ finishedAt: null });
    await serve('invocations', async (work) => {
      await endChildren(queues, notifications, work.id);
      return obey(work);
    });
    await until(id, 'cancelled');
    expect(await queues.redis.exists(`{errand}:scripts:${id}.0:lock`)).toBe(0);
    stop.abort();
    await ran;
    await consumer.close();
  });

  it.each([
    ['waits for a worker', 'wait'],
    ['is suspended', 'delayed'],
  ])('A cancel request lets a worker end the task of another server when the invocation %s', async (_how, set) => {
    const id = await submit();
    await serve('invocations', ({ attempt, signal }) => {
      if (attempt === 1) throw new SuspendJob(Date.now() + 600_000, 'time');
      return obey({ signal } as Work);
    });
    await eventually(async () => (await queues.redis.hget(`{errand}:invocations:${id}`, FIELD.suspended)) !== null);
    await noteRemoteTask(queues, id, 'remote:0');
    if (set === 'wait') {
      // It was woken, and no worker has taken it yet.
      await kit.endConsumers();
      await queues.redis.zrem('{errand}:invocations:delayed', id);
      await queues.redis.lpush('{errand}:invocations:wait', id);
      await queues.redis.hdel(`{errand}:invocations:${id}`, FIELD.suspended);
    }
    expect(await cancel(id)).toBe('cancelling');
    let isWorkerAsked = false;
    await serve('invocations', ({ signal }) => {
      isWorkerAsked = signal.aborted;
      return obey({ signal } as Work);
    });
    await until(id, 'cancelled');
    if (set === 'wait') expect(isWorkerAsked).toBe(true);
  });
});
