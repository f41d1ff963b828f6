import { useQueues } from '../test/use-queues.js';
import { consumeDeliveries, type DeliveryRecord, type Queues } from './index.js';
import { DELIVERIES, keys } from './names.js';
import { deliveryOptions } from './owe-delivery.js';
import { callAside, countAside, noteAside } from './wait-aside.js';

const kit = useQueues({ each: true });
let queues: Queues;
beforeEach(() => {
  ({ queues } = kit);
});

const RECEIVER = 'hooks.example';
const LATER_MS = 3_600_000;
const OPTIONS = { concurrency: 4, lockMs: 10_000, stalledMs: 5_000, perReceiver: 2, scheduleMs: [], onError: () => {} };
const record: DeliveryRecord = {
  tenant: 'default',
  invocationId: 'inv_1',
  callback: { url: `https://${RECEIVER}/ended` },
};

/** A delivery that a process has put aside which is no longer there. */
async function putAside(id: string): Promise<void> {
  const job = await queues.deliveries.add(DELIVERIES, record, {
    ...deliveryOptions(queues),
    jobId: id,
    delay: LATER_MS,
  });
  await noteAside(queues.redis, RECEIVER, id, job.timestamp + LATER_MS);
}

async function isDelayedFor(id: string): Promise<number> {
  return Number(await queues.redis.zscore(keys.set(DELIVERIES, 'delayed'), id)) / 0x1000 - Date.now();
}

it('what a dead process has put aside is called by whoever comes to have a place, one by one', async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `msg_${n}`);
  for (const id of ids) await putAside(id);
  await queues.deliveries.add(DELIVERIES, record, { ...deliveryOptions(queues), jobId: 'msg_next' });
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

it('what waits for another try of its own, or is gone, is not called', async () => {
  for (const id of ['msg_failed', 'msg_gone', 'msg_aside']) await putAside(id);
  await queues.redis.zadd(keys.set(DELIVERIES, 'delayed'), (Date.now() + 2 * LATER_MS) * 0x1000, 'msg_failed');
  await queues.redis.zrem(keys.set(DELIVERIES, 'delayed'), 'msg_gone');
  await callAside(queues.redis, RECEIVER, 3);
  expect(await isDelayedFor('msg_aside')).toBeLessThanOrEqual(0);
  expect(await isDelayedFor('msg_failed')).toBeGreaterThan(LATER_MS);
  expect(await queues.redis.zscore(keys.set(DELIVERIES, 'delayed'), 'msg_gone')).toBeNull();
  expect(await countAside(queues.redis, RECEIVER)).toBe(0);
});
