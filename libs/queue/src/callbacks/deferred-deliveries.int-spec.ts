import { useQueues } from '../../test/use-queues.js';
import { consumeDeliveries, type DeliveryRecord, type Queues } from '../index.js';
import { keys } from '../redis/names.js';
import { DELIVERIES } from '../redis/queue-names.js';
import { DELIVERY_OPTIONS } from '../enqueue/job-options.js';
import { DeferredDeliveries } from './deferred-deliveries.js';

const kit = useQueues({ each: true });
let queues: Queues;
beforeEach(() => {
  ({ queues } = kit);
});

const RECEIVER = 'hooks.example';
const LATER_MS = 3_600_000;
const OPTIONS = {
  concurrency: 4,
  lockMs: 10_000,
  stalledMs: 5_000,
  perReceiver: () => 2,
  scheduleMs: [],
  onError: () => {},
};
const record: DeliveryRecord = {
  tenant: 'default',
  invocationId: 'inv_1',
  callback: { url: `https://${RECEIVER}/ended` },
};

const TOKEN = 'token of a dead process';
const SLOW = { limit: 1, averageMs: 1_000_000 };

/** Makes a delivery active, with the lock of a process. */
async function take(id: string): Promise<void> {
  const { redis } = queues;
  await queues.deliveries.add(DELIVERIES, record, { ...DELIVERY_OPTIONS, jobId: id });
  // No other job waits in a lane here.
  for (const lane of await redis.keys(keys.fair(DELIVERIES, '*'))) await redis.del(lane);
  await redis.lpush(keys.set(DELIVERIES, 'active'), id);
  await redis.set(keys.lock(DELIVERIES, id), TOKEN, 'PX', 60_000);
}

const deferred = (due = 0) =>
  new DeferredDeliveries(queues.redis, { dueAfter: () => due }, (error) => {
    throw error;
  });
const put = (id: string, estimate = SLOW) => deferred().defer({ id, token: TOKEN, receiver: RECEIVER, estimate });
const dueTimeOf = async (id: string) => Number(await queues.redis.zscore(keys.set(DELIVERIES, 'delayed'), id)) / 0x1000;
const dueOf = async (id: string) => (await dueTimeOf(id)) - Date.now();

it('Consumers resume the deliveries that a dead process deferred, one by one', async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `msg_${n}`);
  for (const id of ids) await take(id).then(() => put(id));
  await queues.deliveries.add(DELIVERIES, record, { ...DELIVERY_OPTIONS, jobId: 'msg_next' });
  const sent: string[] = [];
  await new Promise<void>((resolve) => {
    kit.keep(
      consumeDeliveries(kit.redis.url, queues, OPTIONS, async ({ id }) => {
        sent.push(id);
        if (sent.length > ids.length) resolve();
        return { verdict: 'delivered', attempt: { at: new Date().toISOString(), durationMs: 1, statusCode: 200 } };
      }),
    );
  });
  expect(sent.toSorted()).toEqual([...ids, 'msg_next'].toSorted());
  expect(sent[0]).toBe('msg_next');
});

it('A deferred delivery that waits for a retry or no longer exists is not resumed', async () => {
  const delayed = keys.set(DELIVERIES, 'delayed');
  for (const id of ['msg_failed', 'msg_gone', 'msg_deferred']) await take(id).then(() => put(id));
  await queues.redis.zadd(delayed, (Date.now() + LATER_MS) * 0x1000, 'msg_failed');
  await queues.redis.zrem(delayed, 'msg_gone');
  await deferred(3).resume(RECEIVER, 3);
  expect(await dueOf('msg_deferred')).toBeLessThanOrEqual(0);
  expect(await dueOf('msg_failed')).toBeGreaterThan(60_000);
  expect(await queues.redis.zscore(delayed, 'msg_gone')).toBeNull();
  expect(await queues.redis.zcard(keys.deferred(RECEIVER))).toBe(0);
});

it('A deferred delivery becomes due after twice its estimated wait, limited to 1 s to 60 s', async () => {
  const dues: { earliest: number; latest: number }[] = [];
  for (const [id, averageMs] of [
    ['msg_1', 10],
    ['msg_2', 4_000],
    ['msg_3', 4_000],
    ['msg_4', 1_000_000],
  ] as const) {
    await take(id);
    const before = Date.now();
    await put(id, { limit: 2, averageMs });
    const after = Date.now();
    const due = await dueTimeOf(id);
    dues.push({ earliest: due - after, latest: due - before });
  }
  for (const [n, ms] of [1_000, 8_000, 16_000, 60_000].entries()) {
    // The clock of Redis is read between the two times, and Redis may round it to 1 ms.
    expect(dues[n]!.earliest).toBeLessThanOrEqual(ms + 1);
    expect(dues[n]!.latest).toBeGreaterThanOrEqual(ms - 1);
  }
});

it('A process cannot defer a delivery that another process has taken over', async () => {
  await take('msg_1');
  await queues.redis.set(keys.lock(DELIVERIES, 'msg_1'), 'of another');
  await expect(put('msg_1')).rejects.toThrow('Another process has taken msg_1 over');
  expect(await queues.redis.zcard(keys.deferred(RECEIVER))).toBe(0);
});

it('Deliveries that are deferred in one tick share one command, and each has a result of its own', async () => {
  const ids = ['msg_1', 'msg_2', 'msg_3'];
  for (const id of ids) await take(id);
  await queues.redis.set(keys.lock(DELIVERIES, 'msg_2'), 'of another');
  const receivers = [RECEIVER, RECEIVER, 'other.example'];
  const all = deferred();
  const runs = async () =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(await queues.redis.info('commandstats'))?.[1] ?? 0);
  // The first run loads the script.
  await take('msg_0').then(() => put('msg_0'));
  const before = await runs();
  const done = await Promise.allSettled(
    ids.map((id, n) => all.defer({ id, token: TOKEN, receiver: receivers[n]!, estimate: SLOW })),
  );
  expect(await runs()).toBe(before + 1);
  expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await queues.redis.zrange(keys.deferred(RECEIVER), '0', '-1')).toEqual(['msg_0', 'msg_1']);
  expect(await queues.redis.zrange(keys.deferred('other.example'), '0', '-1')).toEqual(['msg_3']);
  expect(await queues.redis.lrange(keys.set(DELIVERIES, 'active'), 0, -1)).toEqual(['msg_2']);
});
