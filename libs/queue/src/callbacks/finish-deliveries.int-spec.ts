import { storedKeys } from '../../test/stored-keys.js';
import { useQueues } from '../../test/use-queues.js';
import type { DeliveryRecord } from '../index.js';
import { endByBullmq } from '../bullmq/end-by-bullmq.js';
import { BullQueue } from '../bullmq/bull-queue.js';
import { END_CODE, type Commit } from '../bullmq/finish-and-take.js';
import { TakenJob, type TakenFields } from '../bullmq/taken-job.js';
import { DELIVERY_OPTIONS } from '../enqueue/job-options.js';
import { rulesArgs, USUAL_RULES } from '../fair/fair-rules.js';
import { keys } from '../redis/names.js';
import { DELIVERIES } from '../redis/queue-names.js';
import { DeferredDeliveries } from './deferred-deliveries.js';
import { deliveryEndOf, finishDeliveries, type DeliveryEnd } from './finish-deliveries.js';

const kit = useQueues({ each: true });

const RECEIVER = 'hooks.example';
const RECORD: DeliveryRecord = {
  tenant: 'default',
  invocationId: 'inv_1',
  callback: { url: `https://${RECEIVER}/ended` },
};
const LINE = '{"at":"2026-01-01T00:00:00.000Z","durationMs":1,"statusCode":200}';
const consumer = { queue: DELIVERIES, consumer: 'c', lockMs: 60_000 } as const;

let calls = 0;
/** A call of a consumer that has no process. */
function call(over: Partial<Commit<DeliveryEnd>>, freeSlots = 0) {
  const commit = {
    call: `c:${calls++}`,
    now: Date.now(),
    ends: [],
    wanted: 0,
    portion: 1,
    rules: rulesArgs(USUAL_RULES, 0),
  };
  return finishDeliveries(
    kit.queues.redis,
    consumer,
    { ...commit, ...over },
    { dueAfter: (_, ended) => Math.min(freeSlots, ended + 1) },
  );
}

const add = (jobId: string, more: object = {}) =>
  kit.queues.deliveries.add(DELIVERIES, RECORD, { ...DELIVERY_OPTIONS, jobId, ...more });

/** Takes the next deliveries. */
async function take(wanted: number): Promise<TakenJob<DeliveryRecord>[]> {
  const name = `c:take:${calls++}`;
  const { taken } = await call({ call: name, wanted });
  return taken.map((fields: TakenFields) => new TakenJob<DeliveryRecord>(fields, name, Date.now(), undefined));
}

function sent(job: TakenJob<DeliveryRecord> | undefined): DeliveryEnd {
  job!.logLine = LINE;
  const end = deliveryEndOf(job!, { result: { status: 'delivered' } });
  if (!end) throw new Error('This delivery needs the script of BullMQ');
  return end;
}

const logOf = async (id: string) => (await kit.queues.deliveries.getJobLogs(id)).logs;
const ended = () => kit.queues.redis.zrange(keys.ended(DELIVERIES, 'completed'), '0', '-1');

describe('The script that ends deliveries', () => {
  it('A delivery ends with its attempt in its log, and without the copy of the result of its invocation', async () => {
    await add('msg_1');
    await kit.queues.redis.hset(`${keys.job(DELIVERIES, 'msg_1')}:processed`, '{errand}:invocations:inv_1', '{}');
    const [job] = await take(1);
    expect((await call({ ends: [sent(job)] })).codes).toEqual([END_CODE.ended]);
    expect(await logOf('msg_1')).toEqual([LINE]);
    const stored = await kit.queues.deliveries.getJob('msg_1');
    expect(stored).toMatchObject({ returnvalue: { status: 'delivered' }, attemptsMade: 1 });
    expect([await stored!.getState(), await ended()]).toEqual(['completed', ['msg_1']]);
    expect(await kit.queues.redis.keys('*msg_1:*')).toEqual([`${keys.job(DELIVERIES, 'msg_1')}:logs`]);
  });

  it('A delivery leaves the same keys as after the script of BullMQ', async () => {
    for (const id of ['msg_1', 'msg_2']) await add(id);
    const [lean, other] = await take(2);
    const { redis } = kit.queues;
    const settings = {
      connection: redis,
      prefix: '{errand}',
      lockDuration: 60_000,
      stalledInterval: 60_000,
      maxStalledCount: 1,
      settings: { backoffStrategy: () => -1 },
    };
    const bull = new BullQueue(DELIVERIES, settings, { isIndexed: false });
    await bull.addLog('msg_2', LINE);
    await endByBullmq(bull, other!, { result: { status: 'delivered' } }, (error) => {
      throw error;
    });
    await call({ ends: [sent(lean)] });
    await bull.close();
    const stored = await storedKeys(redis);
    const of = (id: string) =>
      Object.entries(stored)
        .filter(([name]) => name.includes(id))
        .map(([name, value]) => [name.replace(id, 'id'), JSON.stringify(value).replaceAll(id, 'id')]);
    expect(of('msg_1')).toEqual(of('msg_2'));
    expect(of('msg_1')).toHaveLength(2);
    expect((await ended()).toSorted()).toEqual(['msg_1', 'msg_2']);
    expect(await redis.keys('{errand}:deliveries:*:lock')).toEqual([]);
  });

  it('A call that arrives twice ends a delivery once, and adds its attempt to the log once', async () => {
    await add('msg_1');
    const [job] = await take(1);
    const again = { call: 'c:again', ends: [sent(job)] };
    expect([(await call(again)).codes, (await call(again)).codes]).toEqual([[END_CODE.ended], [END_CODE.ended]]);
    expect(await logOf('msg_1')).toEqual([LINE]);
    expect((await kit.queues.deliveries.getJob('msg_1'))?.attemptsMade).toBe(1);
  });

  it('A delivery that another process has is not ended, and the others of the call are', async () => {
    for (const id of ['msg_1', 'msg_2', 'msg_3']) await add(id);
    const jobs = await take(3);
    await kit.queues.redis.set(keys.lock(DELIVERIES, 'msg_1'), 'of another', 'PX', 60_000);
    await kit.queues.redis.hset(keys.job(DELIVERIES, 'msg_2'), 'ats', 2);
    await kit.queues.redis.del(keys.lock(DELIVERIES, 'msg_3'));
    const { codes } = await call({ ends: jobs.map(sent) });
    expect(codes).toEqual([END_CODE.lost, END_CODE.lost, END_CODE.ended]);
    expect([await ended(), await logOf('msg_1'), await logOf('msg_2')]).toEqual([['msg_3'], [], []]);
    expect(await kit.queues.redis.get(keys.lock(DELIVERIES, 'msg_1'))).toBe('of another');
  });

  it('A call takes deferred deliveries of the receiver whose delivery it ends, before later ones', async () => {
    for (let n = 1; n <= 5; n++) await add(`msg_${n}`);
    const [first, ...busy] = await take(4);
    const deferred = new DeferredDeliveries(kit.queues.redis, { dueAfter: () => 0 }, () => {});
    const estimate = { limit: 1, averageMs: 1e6 };
    for (const { id, token } of busy) await deferred.defer({ id, token, receiver: RECEIVER, estimate });
    const { codes, taken } = await call({ ends: [sent(first)], wanted: 3 }, 8);
    expect(codes).toEqual([END_CODE.ended]);
    // One for the slot of the ended delivery, and one more: a success raises the limit of a receiver.
    expect(taken.map((fields) => fields[9])).toEqual(['msg_2', 'msg_3', 'msg_5']);
    expect(await kit.queues.redis.zrange(keys.deferred(RECEIVER), '0', '-1')).toEqual(['msg_4']);
  });

  it('A call without a free slot of the receiver leaves its deferred deliveries', async () => {
    for (const id of ['msg_1', 'msg_2']) await add(id);
    const [first, second] = await take(2);
    const deferred = new DeferredDeliveries(kit.queues.redis, { dueAfter: () => 0 }, () => {});
    const { id, token } = second!;
    await deferred.defer({ id, token, receiver: RECEIVER, estimate: { limit: 1, averageMs: 1e6 } });
    expect((await call({ ends: [sent(first)], wanted: 3 }, 0)).taken).toEqual([]);
    expect(await kit.queues.redis.zcard(keys.deferred(RECEIVER))).toBe(1);
  });

  it('A failure and a delivery of an earlier version need the script of BullMQ', async () => {
    await add('msg_1');
    await add('msg_2', { removeOnComplete: { count: 10 } });
    const [usual, earlier] = await take(2);
    expect(deliveryEndOf(usual!, { error: new Error('It answered 500') })).toBeUndefined();
    expect(deliveryEndOf(earlier!, { result: { status: 'delivered' } })).toBeUndefined();
    expect(deliveryEndOf(usual!, { result: { status: 'skipped' } })).toMatchObject({ id: 'msg_1', line: '' });
  });
});
