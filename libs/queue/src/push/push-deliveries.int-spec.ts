import { newInvocationId } from '@errand/contracts';
import { eventually } from '../../../../test/support/eventually.js';
import { sendTwice } from '../../test/send-twice.js';
import { recordOf, succeed, suspendOnce, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  consumeDeliveries,
  giveAnswer,
  MAX_PUSHES,
  preparePush,
  putPush,
  readPushes,
  removePush,
  submitInvocation,
  submitInvocations,
  type Consumer,
  type DeliveryOptions,
  type PendingDelivery,
  type Sent,
} from '../index.js';
import { FIELD } from '../redis/job-fields.js';
import { keys } from '../redis/names.js';

const kit = useQueues();
afterEach(() => kit.queues.redis.flushall());

const URL = 'https://hooks.example/a2a';
const TIMES = { concurrency: 10, lockMs: 2_000, stalledMs: 500, onError: () => {} };
const DELIVERED: Sent = { verdict: 'delivered', attempt: { at: '', durationMs: 1, statusCode: 200 } };
const FAILED: Sent = {
  verdict: 'failed',
  attempt: { at: '', durationMs: 1, error: 'It answered 500' },
  body: '{"n":1}',
};

const put = (id: string, name = 'one', over: object = {}) =>
  putPush(kit.queues, { tenant: 'default', invocationId: id }, { id: name, version: '1.0', url: URL, ...over });

/** A receiver that answers with the next of `answers`, at the end with success. */
class Receiver {
  readonly got: PendingDelivery[] = [];
  constructor(private readonly answers: Sent[] = []) {}
  readonly send = async (delivery: PendingDelivery): Promise<Sent> => {
    this.got.push(delivery);
    return this.answers.shift() ?? DELIVERED;
  };
  readonly statuses = () => this.got.map(({ pushed }) => pushed?.status);
  readonly until = (...wanted: string[]) => eventually(() => this.statuses().join() === wanted.join(), wanted.join());
}

async function deliver(receiver: Receiver, over: Partial<DeliveryOptions> = {}): Promise<Consumer> {
  const options = { ...TIMES, perReceiver: () => 8, scheduleMs: [0, 0], ...over };
  const consumer = kit.keep(consumeDeliveries(kit.redis.url, kit.queues, options, receiver.send));
  await consumer.ready();
  return consumer;
}

describe('A push delivery', () => {
  it('A configuration that is sent twice is stored once, and is not stopped', async () => {
    const receiver = new Receiver();
    const id = await kit.submit();
    expect(await sendTwice(kit.queues.redis, () => put(id))).toBe('stored');
    expect(await readPushes(kit.queues, id)).toHaveLength(1);
    await deliver(receiver);
    await receiver.until('queued');
  });

  it('It sends every status of an invocation once, in order', async () => {
    const receiver = new Receiver();
    const id = await kit.submit();
    expect(await put(id)).toBe('stored');
    await deliver(receiver);
    await receiver.until('queued');
    await kit.serve('invocations', suspendOnce(undefined, 'answer'));
    await receiver.until('queued', 'running', 'waiting_external');
    await giveAnswer(kit.queues, { reach: 'default', id, field: '0' }, { answer: { result: 1 } });
    await receiver.until('queued', 'running', 'waiting_external', 'running', 'succeeded');
    expect(receiver.got.map(({ webhookId }) => webhookId.split('.').at(-1))).toEqual(['0', '1', '2', '3', '4']);
    expect(new Set(receiver.got.map(({ id: own }) => own)).size).toBe(1);
    await eventually(async () => (await kit.queues.deliveries.getCompletedCount()) === 1, 'the end of the delivery');
  });

  it('A failed attempt is repeated with the same message before a later status is sent', async () => {
    const receiver = new Receiver([FAILED, FAILED, DELIVERED, FAILED]);
    const id = await kit.submit();
    await put(id);
    await kit.serve('invocations', succeed);
    await kit.until(id, 'succeeded');
    await deliver(receiver);
    await receiver.until('queued', 'queued', 'queued', 'running', 'running', 'succeeded');
    const first = receiver.got.slice(0, 3);
    expect(first.map(({ body }) => body)).toEqual([undefined, '{"n":1}', '{"n":1}']);
    expect(new Set(first.map(({ webhookId }) => webhookId)).size).toBe(1);
    expect(receiver.got[3]?.body).toBeUndefined();
    expect(receiver.got[5]?.body).toBeUndefined();
  });

  it('It ends as a dead letter when the schedule of one message ends, and sends no later status', async () => {
    const receiver = new Receiver([DELIVERED, FAILED, FAILED, FAILED]);
    const id = await kit.submit();
    await put(id);
    await kit.serve('invocations', succeed);
    await kit.until(id, 'succeeded');
    await deliver(receiver);
    await eventually(async () => (await kit.queues.deliveries.getFailedCount()) === 1, 'the failed delivery');
    expect(receiver.statuses()).toEqual(['queued', 'running', 'running', 'running']);
  });

  it('An invocation with two configurations sends every status to both', async () => {
    const receiver = new Receiver();
    const id = await kit.submit();
    await put(id, 'one', { url: 'https://one.example/' });
    await put(id, 'two', { url: 'https://two.example/' });
    await deliver(receiver);
    await cancelInvocation(kit.queues, 'default', id);
    await eventually(() => receiver.got.length === 4);
    for (const name of ['one', 'two']) {
      const own = receiver.got.filter(({ push }) => push?.id === name);
      expect(own.map(({ pushed }) => pushed?.status)).toEqual(['queued', 'cancelled']);
    }
  });

  it('A delivery that is stored before its invocation sends every status, however fast the invocation ends', async () => {
    const receiver = new Receiver();
    await kit.serve('invocations', succeed);
    const id = newInvocationId();
    const place = { tenant: 'default', invocationId: id };
    const pushes = await preparePush(kit.queues, place, { id: 'one', version: '1.0', url: URL });
    await submitInvocations(kit.queues, [{ queue: 'invocations', id, record: recordOf(), pushes }]);
    await deliver(receiver);
    await receiver.until('queued', 'running', 'succeeded');
    expect((await readPushes(kit.queues, id)).map((own) => own.id)).toEqual(['one']);
  });

  it('A configuration of an ended invocation sends its end', async () => {
    const receiver = new Receiver();
    await kit.serve('invocations', succeed);
    const id = await kit.submit();
    await kit.until(id, 'succeeded');
    await put(id);
    await deliver(receiver);
    await receiver.until('succeeded');
  });

  it('A waiting delivery holds no slot, and is one delayed job', async () => {
    const receiver = new Receiver();
    const id = await kit.submit();
    await put(id);
    await deliver(receiver);
    await receiver.until('queued');
    await eventually(async () => (await kit.queues.deliveries.getDelayedCount()) === 1, 'the delayed job');
    expect(await kit.queues.deliveries.getActiveCount()).toBe(0);
  });
});

describe('A push configuration', () => {
  it('It is listed and removed, and the removal ends its delivery', async () => {
    const receiver = new Receiver();
    const id = await kit.submit();
    await put(id, 'b', { token: 't', authentication: { scheme: 'Bearer', credentials: 'c' } });
    await put(id, 'a');
    expect(await readPushes(kit.queues, id)).toEqual([
      { id: 'a', version: '1.0', url: URL },
      { id: 'b', version: '1.0', url: URL, token: 't', authentication: { scheme: 'Bearer', credentials: 'c' } },
    ]);
    await deliver(receiver);
    await receiver.until('queued', 'queued');
    expect(await removePush(kit.queues, id, 'a')).toBe(true);
    expect(await removePush(kit.queues, id, 'a')).toBe(false);
    await kit.serve('invocations', succeed);
    await receiver.until('queued', 'queued', 'running', 'succeeded');
    expect((await readPushes(kit.queues, id)).map((own) => own.id)).toEqual(['b']);
    await eventually(
      async () => (await kit.queues.deliveries.getCompletedCount()) === 2,
      'the ends of both deliveries',
    );
  });

  it('The same configuration again changes nothing, and another one with its id replaces it', async () => {
    const id = await kit.submit();
    await put(id);
    await put(id);
    expect(await kit.queues.deliveries.getWaitingCount()).toBe(1);
    await put(id, 'one', { url: 'https://other.example/' });
    expect((await readPushes(kit.queues, id)).map(({ url }) => url)).toEqual(['https://other.example/']);
    const receiver = new Receiver();
    await deliver(receiver);
    await receiver.until('queued');
    expect(receiver.got[0]?.callback.url).toBe('https://other.example/');
  });

  it(`An invocation has at most ${MAX_PUSHES} configurations`, async () => {
    const id = await kit.submit();
    for (let n = 0; n < MAX_PUSHES; n++) expect(await put(id, `p${n}`)).toBe('stored');
    expect(await put(id, 'more')).toBe('full');
    expect(await put(id, 'p0', { url: 'https://other.example/' })).toBe('stored');
  });

  it('An invocation that does not exist takes no configuration', async () => {
    expect(await put(newInvocationId())).toBe('missing');
    expect(await readPushes(kit.queues, newInvocationId())).toEqual([]);
  });

  it.each(['__proto__', '1', 'constructor', '"},{', 'ü'])('The id %j is stored like any other', async (name) => {
    const id = await kit.submit();
    await put(id, name);
    expect((await readPushes(kit.queues, id)).map((own) => own.id)).toEqual([name]);
    expect(await removePush(kit.queues, id, name)).toBe(true);
    expect(await kit.queues.redis.hexists(keys.job('invocations', id), FIELD.pushes)).toBe(0);
  });

  it('A delivery whose invocation was removed ends', async () => {
    const receiver = new Receiver();
    const id = newInvocationId();
    await submitInvocation(kit.queues, 'invocations', id, recordOf());
    await put(id);
    await deliver(receiver);
    await receiver.until('queued');
    const [idle] = await eventually(async () => {
      const delayed = await kit.queues.deliveries.getDelayed();
      return delayed.length === 1 ? delayed : undefined;
    }, 'the waiting delivery');
    await kit.queues.redis.del(keys.job('invocations', id));
    await kit.queues.redis.zadd(keys.set('deliveries', 'delayed'), 1, idle?.id ?? '');
    await kit.queues.redis.zadd(keys.set('deliveries', 'marker'), 1, '1');
    await eventually(async () => (await kit.queues.deliveries.getCompletedCount()) === 1, 'the end of the delivery');
    expect(receiver.got).toHaveLength(1);
  });
});
