import { newInvocationId, ToolError } from '@errand/contracts';
import { eventually } from '../../../../test/support/eventually.js';
import type { TestRedis } from '../../../../test/support/start-redis.js';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import {
  consumeDeliveries,
  putPush,
  EventWriter,
  RetentionCleaner,
  JournalWriter,
  readInvocation,
  redeliver,
  runChild,
  submitInvocation,
  NotificationHub,
  type Queues,
} from '../index.js';

const RETENTION = { ageSeconds: 3_600, count: 2 };
const FOREVER = new AbortController().signal;

const kit = useQueues({ retention: RETENTION, each: true });
const { serve, until } = kit;
let redis: TestRedis;
let queues: Queues;
let notifications: NotificationHub;
let cleaner: RetentionCleaner;
beforeEach(() => {
  ({ redis, queues, notifications } = kit);
  cleaner = new RetentionCleaner(queues, (error) => {
    throw error;
  });
});

const RICH = recordOf({
  agent: 'ada',
  session: 's'.repeat(200),
  metadata: { ticket: 7, where: 'here', deep: { no: 1 } },
});

const untilEnded = (id: string) => until(id, ({ finishedAt }) => finishedAt !== null);

/** Every key that contains one of the ids, and every index set that has one as a member. */
async function tracesOf(ids: readonly string[]): Promise<string[]> {
  const all = await queues.redis.keys('*');
  const random = ids.map((id) => id.slice('inv_'.length));
  const named = all.filter((key) => random.some((text) => key.includes(text)));
  const sets = await Promise.all(
    all.map(async (key) => {
      if ((await queues.redis.type(key)) !== 'zset') return [];
      const members = await queues.redis.zrange(key, '0', '-1');
      return members.some((member) => random.some((text) => member.includes(text))) ? [key] : [];
    }),
  );
  return [...named, ...sets.flat()];
}

/** Sends the one pending callback and resolves when its outcome is stored. */
async function deliverOne(): Promise<void> {
  const bounds = { concurrency: 1, lockMs: 1_000, stalledMs: 500, perReceiver: () => 1, scheduleMs: [] };
  let sent: () => void;
  const sending = new Promise<void>((resolve) => (sent = resolve));
  const consumer = consumeDeliveries(redis.url, queues, { ...bounds, onError: () => {} }, async () => {
    sent();
    return { verdict: 'delivered', attempt: { at: new Date().toISOString(), statusCode: 200, durationMs: 1 } };
  });
  await sending;
  await consumer.close();
}

describe('The retention of invocations', () => {
  it('An invocation older than the retention age is removed with all its data', async () => {
    const id = newInvocationId();
    await serve('scripts', succeed);
    await serve('invocations', async (work) => {
      const events = new EventWriter(queues, work.id, () => {});
      events.emit({ event: 'progress', value: 0.5 });
      await new JournalWriter(queues, 'invocations', work.id, work.attempt).write([['0/n', { status: 'succeeded' }]]);
      const child = { ...work.record, parent: { invocationId: work.id, step: 0 } };
      const ended = await runChild(queues, notifications, child, FOREVER);
      await events.flush();
      return { steps: [ended] };
    });
    await submitInvocation(queues, 'invocations', id, RICH);
    await untilEnded(id);
    expect((await tracesOf([id])).length).toBeGreaterThan(8);
    expect(await cleaner.sweep(Date.now() + 3_500_000)).toBe(0);
    await cleaner.sweep(Date.now() + 3_700_000);
    expect(await tracesOf([id])).toEqual([]);
    expect(await readInvocation(queues, 'default', id)).toBeUndefined();
  });

  it('Invocations beyond the retention count are removed, oldest first, separately for each outcome', async () => {
    const fail = new ToolError('NodeError', 'no');
    await serve('invocations', async ({ record: { session } }) => {
      if (session === 'failed') throw fail;
      return { steps: [{ status: 'succeeded', result: 1 }] };
    });
    const ids: Record<string, string[]> = { succeeded: [], failed: [] };
    for (const session of ['succeeded', 'failed', 'succeeded', 'failed', 'succeeded', 'succeeded']) {
      const id = newInvocationId();
      ids[session]!.push(id);
      await submitInvocation(queues, 'invocations', id, recordOf({ session }));
      await untilEnded(id);
    }
    expect(await cleaner.sweep()).toBe(2);
    expect(await tracesOf(ids['succeeded']!.slice(0, 2))).toEqual([]);
    for (const id of [...ids['succeeded']!.slice(2), ...ids['failed']!])
      expect((await tracesOf([id])).length).toBeGreaterThan(0);
  });

  it('An invocation whose callback has not been attempted yet is not removed', async () => {
    const id = newInvocationId();
    await serve('invocations', succeed);
    await submitInvocation(queues, 'invocations', id, RICH, {}, { url: 'https://example.org/hook' });
    await untilEnded(id);
    expect(await cleaner.sweep(Date.now() + 3_700_000)).toBe(0);
    await deliverOne();
    expect(await cleaner.sweep(Date.now() + 3_700_000)).toBe(1);
    expect(await tracesOf([id])).toEqual([]);
  });

  it('Push deliveries are removed with their invocation, once each has had an attempt', async () => {
    const id = newInvocationId();
    await submitInvocation(queues, 'invocations', id, recordOf());
    const place = { tenant: 'default', invocationId: id };
    expect(await putPush(queues, place, { id: 'one', version: '1.0', url: 'https://example.org/a2a' })).toBe('stored');
    await serve('invocations', succeed);
    await untilEnded(id);
    expect(await cleaner.sweep(Date.now() + 3_700_000)).toBe(0);
    const bounds = { concurrency: 1, lockMs: 1_000, stalledMs: 500, perReceiver: () => 1, scheduleMs: [] };
    const consumer = consumeDeliveries(redis.url, queues, { ...bounds, onError: () => {} }, async () => ({
      verdict: 'delivered',
      attempt: { at: new Date().toISOString(), statusCode: 200, durationMs: 1 },
    }));
    await eventually(async () => (await queues.deliveries.getCompletedCount()) === 1, 'the end of the push delivery');
    await consumer.close();
    expect(await cleaner.sweep(Date.now() + 3_700_000)).toBe(1);
    expect(await tracesOf([id])).toEqual([]);
  });

  it('An invocation whose redelivery has not been attempted yet is not removed', async () => {
    const id = newInvocationId();
    await serve('invocations', succeed);
    await submitInvocation(queues, 'invocations', id, RICH, {}, { url: 'https://example.org/hook' });
    await untilEnded(id);
    await deliverOne();
    expect(await redeliver(queues, id, 0)).toMatchObject({ index: 1, status: 'pending' });
    expect(await cleaner.sweep(Date.now() + 3_700_000)).toBe(0);
    await deliverOne();
    expect(await cleaner.sweep(Date.now() + 3_700_000)).toBe(1);
    expect(await tracesOf([id])).toEqual([]);
  });

  it('A delivery that outlives its invocation is removed when it is older than the retention age, and others are not', async () => {
    const id = newInvocationId();
    await serve('invocations', succeed);
    await submitInvocation(queues, 'invocations', id, RICH, {}, { url: 'https://example.org/hook' });
    await untilEnded(id);
    await deliverOne();
    const [invocation, delivery] = [`{errand}:invocations:${id}`, `{errand}:deliveries:msg_${id.slice(4)}`];
    // The order of the two ends is turned round: the delivery is due, and its invocation is not.
    await queues.redis.zincrby('{errand}:deliveries:completed', -1_000_000, `msg_${id.slice(4)}`);
    expect(await cleaner.sweep(Date.now() + 3_000_000)).toBe(0);
    expect(await queues.redis.exists(delivery)).toBe(1);
    await queues.redis.del(invocation);
    await queues.redis.zrem('{errand}:invocations:completed', id);
    expect(await cleaner.sweep(Date.now() + 3_000_000)).toBe(1);
    expect((await tracesOf([id])).filter((name) => name.includes('deliver'))).toEqual([]);
  });

  it('An invocation that has not ended is never removed', async () => {
    const id = newInvocationId();
    await submitInvocation(queues, 'invocations', id, RICH, { delayMs: 60_000 });
    expect(await cleaner.sweep(Date.now() + 1e12)).toBe(0);
    expect((await readInvocation(queues, 'default', id))!.status).toBe('queued');
  });
});
