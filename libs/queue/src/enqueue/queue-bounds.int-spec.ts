import { newInvocationId } from '@errand/contracts';
import { recordOf, succeed, suspendOnce, useQueues } from '../../test/use-queues.js';
import { cancelInvocation, QueueFullError, submitInvocation, submitInvocations, type SubmitOptions } from '../index.js';
import { keys } from '../redis/names.js';

const kit = useQueues({ bounds: { waiting: 4, delayed: 3 }, each: true });
const HOUR_MS = 3_600_000;

const fill = (count: number, options: SubmitOptions = {}) =>
  submitInvocations(
    kit.queues,
    Array.from({ length: count }, () => ({
      queue: 'invocations' as const,
      id: newInvocationId(),
      record: recordOf(),
      options,
      callback: { url: 'https://example.com/' },
    })),
  );
const accepted = (all: readonly object[]) =>
  all.filter((one): one is { id: string } => !(one instanceof QueueFullError));
const refusals = (all: readonly object[]) => all.filter((one) => one instanceof QueueFullError);
const jobsIn = async (...sets: ('wait' | 'prioritized' | 'delayed')[]) => {
  const counts = await kit.queues.byName.invocations.getJobCounts(...sets);
  return Object.values(counts).reduce((sum, count) => sum + count);
};

describe('A queue with bounds', () => {
  it('A queue accepts exactly its bound of ready jobs under concurrent submissions, and keeps nothing of the refused ones', async () => {
    const all = (await Promise.all([fill(3), fill(3, { priority: 1 }), fill(3), fill(3, { priority: 2 })])).flat();
    expect(accepted(all)).toHaveLength(4);
    expect(refusals(all)[0]).toMatchObject({ queue: 'invocations', reached: 'waiting', bound: 4 });
    const ids = accepted(all).map(({ id }) => `{errand}:invocations:${id}`);
    expect((await kit.queues.redis.keys('{errand}:invocations:inv_*')).toSorted()).toEqual(ids.toSorted());
    expect(await jobsIn('wait', 'prioritized')).toBe(4);
    expect(await kit.queues.deliveries.getWaitingChildrenCount()).toBe(4);
    expect(await kit.queues.redis.zcard('{errand}:index:default:tool:test:tool')).toBe(4);
  });

  it('A refused submission removes what was stored before it, but nothing of a job that another process submitted', async () => {
    await fill(4);
    const { redis } = kit.queues;
    const ids = [newInvocationId(), newInvocationId()] as const;
    for (const id of ids) await redis.hset(keys.journal(id), '0', 'ended');
    // There was room when the other process submitted it.
    await redis.hset(keys.job('invocations', ids[1]), 'name', 'test:tool');
    for (const id of ids) {
      const submission = submitInvocation(kit.queues, 'invocations', id, recordOf());
      await submission.catch((error: unknown) => expect(error).toBeInstanceOf(QueueFullError));
    }
    expect(await redis.exists(keys.journal(ids[0]))).toBe(0);
    expect(await redis.exists(keys.journal(ids[1]))).toBe(1);
  });

  it('Delayed jobs leave the bound of ready jobs alone and have a bound of their own, which the refusal names', async () => {
    const all = (
      await Promise.all([fill(3, { delayMs: HOUR_MS }), fill(3, { delayMs: 2 * HOUR_MS, priority: 1 })])
    ).flat();
    expect(accepted(all)).toHaveLength(3);
    const [refusal] = refusals(all);
    expect(refusal).toMatchObject({ reached: 'delayed', bound: 3, retryAfterSeconds: 300 });
    expect((refusal as Error).message).toContain('raise ERRAND_DELAYED_BOUND');
    const ready = await fill(5);
    expect(accepted(ready)).toHaveLength(4);
    expect((refusals(ready)[0] as Error).message).toContain('raise ERRAND_QUEUE_BOUND');
  });

  it('Suspended jobs count for no bound', async () => {
    await kit.serve('invocations', suspendOnce(undefined, 'answer'));
    for (let n = 0; n < 8; n++) await kit.until(await kit.submit(), 'waiting_external');
    await kit.endConsumers();
    expect(accepted(await fill(4, { delayMs: HOUR_MS }))).toHaveLength(3);
    expect(accepted(await fill(5))).toHaveLength(4);
  });

  it('A cancelled delayed job makes room, and so does a job that was due', async () => {
    const [first] = accepted(await fill(3, { delayMs: HOUR_MS }));
    await cancelInvocation(kit.queues, 'default', first!.id);
    expect(accepted(await fill(2, { delayMs: 1 }))).toHaveLength(1);
    // The delay of 1 ms is over by now, whether or not a consumer has taken the job.
    await kit.serve('invocations', succeed);
    expect(accepted(await fill(1, { delayMs: HOUR_MS }))).toHaveLength(1);
  });

  it('A bounded queue accepts as many new jobs as have left it, and a stored job is not a new one', async () => {
    const all = await fill(5);
    await cancelInvocation(kit.queues, 'default', accepted(all)[0]!.id);
    const next = newInvocationId();
    await submitInvocation(kit.queues, 'invocations', next, recordOf());
    await expect(submitInvocation(kit.queues, 'invocations', newInvocationId(), recordOf())).rejects.toThrow(
      QueueFullError,
    );
    await expect(submitInvocation(kit.queues, 'invocations', next, recordOf())).resolves.toMatchObject({ id: next });
  });

  it('The set that counts delayed jobs expires with the last of them', async () => {
    await fill(1, { delayMs: 2 * HOUR_MS });
    await fill(1, { delayMs: HOUR_MS });
    const ttl = await kit.queues.redis.pttl('{errand}:later:invocations');
    expect(ttl).toBeGreaterThan(HOUR_MS);
    expect(ttl).toBeLessThanOrEqual(2 * HOUR_MS);
  });
});
