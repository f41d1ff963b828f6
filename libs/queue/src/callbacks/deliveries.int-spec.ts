import { newInvocationId, ToolError } from '@errand/contracts';
import { errandBackend } from '../bullmq/errand-backend.js';
import { Worker } from 'bullmq';
import { once } from 'node:events';
import { eventually, inPatience } from '../../../../test/support/eventually.js';
import type { TestRedis } from '../../../../test/support/start-redis.js';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  consumeDeliveries,
  SuspendJob,
  readCallback,
  readDeliveries,
  readInvocation,
  redeliver,
  submitInvocation,
  type Consumer,
  type DeliveryOptions,
  type InvocationRecord,
  type Outcome,
  type PendingDelivery,
  type Queues,
  type QueueName,
  type Sent,
  type SubmitOptions,
  type Work,
} from '../index.js';

const CALLBACK = { url: 'https://hooks.example/ended' };
const DAY_MS = 86_400_000;

const kit = useQueues();
let redis: TestRedis;
let queues: Queues;
beforeAll(() => {
  ({ redis, queues } = kit);
});
afterEach(() => queues.redis.flushall());

async function submit(options: SubmitOptions = {}, queue: QueueName = 'invocations', url = CALLBACK.url) {
  const id = newInvocationId();
  await submitInvocation(queues, queue, id, recordOf(), options, { ...CALLBACK, url });
  return id;
}

const TIMES = { concurrency: 10, lockMs: 2_000, stalledMs: 500 };
const onError = (error: Error) => process.stderr.write(`${error.message}\n`);

const work = (handle: (work: Work) => Promise<Outcome>, queue: QueueName = 'invocations') =>
  kit.serve(queue, handle, { ...TIMES, onError });

async function deliver(
  send: (delivery: PendingDelivery) => Promise<Sent>,
  over: Partial<DeliveryOptions> = {},
): Promise<Consumer> {
  const options = { ...TIMES, perReceiver: () => 8, scheduleMs: [0, 0], onError, ...over };
  const consumer = kit.keep(consumeDeliveries(redis.url, queues, options, send));
  await consumer.ready();
  return consumer;
}

const attempt = (more: object = {}) => ({ at: new Date().toISOString(), durationMs: 1, ...more });
const DELIVERED: Sent = { verdict: 'delivered', attempt: attempt({ statusCode: 200 }) };
const FAILED: Sent = { verdict: 'failed', attempt: attempt({ statusCode: 500, error: 'It answered 500' }), body: '{}' };
const fail = (type: 'ScriptError' | 'TimeoutError') => async (): Promise<Outcome> => {
  throw new ToolError(type, 'It failed');
};

/** Collects the deliveries of a queue. `until` waits for a number of them. */
class Receiver {
  readonly got: PendingDelivery[] = [];
  private wake: () => void = () => {};

  readonly send = async (delivery: PendingDelivery): Promise<Sent> => {
    this.got.push(delivery);
    this.wake();
    return DELIVERED;
  };

  async until(count: number): Promise<void> {
    while (this.got.length < count)
      await inPatience(
        new Promise<void>((resolve) => (this.wake = resolve)),
        () => `${count} deliveries, not ${this.got.length}`,
      );
  }
}

const statusOf = async (id: string) => (await readInvocation(queues, 'default', id))?.status;
const deliveriesOf = async (id: string) => (await readDeliveries(queues, id)).map(({ status }) => status);

describe('A pending callback', () => {
  it('A callback is stored atomically with its invocation and is not due before the end', async () => {
    await submit();
    await queues.redis.config('RESETSTAT');
    const id = await submit();
    const stats = await queues.redis.info('commandstats');
    expect(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]).toBe('1');
    expect(stats).not.toContain('cmdstat_exec:');
    expect(await deliveriesOf(id)).toEqual(['waiting']);
    expect(await queues.deliveries.getJobCountByTypes('waiting-children')).toBe(2);
    expect(await queues.deliveries.getJobCountByTypes('prioritized', 'delayed', 'wait')).toBe(0);
  });

  it('A job that is submitted again gets no second callback', async () => {
    const call = { toolId: 'test:tool', version: '1.0.0', digest: 'd', kind: 'node', arguments: {} } as const;
    const record: InvocationRecord = { tenant: 'default', mode: 'sequence', calls: [call] };
    const id = newInvocationId();
    const receiver = new Receiver();
    await deliver(receiver.send);
    for (let n = 0; n < 3; n++) await submitInvocation(queues, 'invocations', id, record, {}, CALLBACK);
    await work(succeed);
    await receiver.until(1);
    await submitInvocation(queues, 'invocations', id, record, {}, CALLBACK);
    await eventually(async () => (await deliveriesOf(id))[0] === 'delivered');
    expect(receiver.got).toHaveLength(1);
  });

  const ends: [string, QueueName, SubmitOptions, (id: string) => Promise<unknown>][] = [
    ['succeeds', 'invocations', {}, () => work(succeed)],
    ['succeeds as a script', 'scripts', {}, () => work(succeed, 'scripts')],
    ['succeeds later', 'invocations', { delayMs: 50 }, () => work(succeed)],
    ['fails', 'invocations', {}, () => work(fail('ScriptError'))],
    ['fails as a script', 'scripts', {}, () => work(fail('ScriptError'), 'scripts')],
    ['times out', 'invocations', {}, () => work(fail('TimeoutError'))],
    [
      'fails for good after retries',
      'invocations',
      { attempts: 3, backoff: { type: 'fixed', delayMs: 0 } },
      () =>
        work(async () => {
          throw new ToolError('ServiceError', 'Not now');
        }),
    ],
    ['is cancelled while it waits', 'invocations', {}, (id) => cancelInvocation(queues, 'default', id)],
    [
      'is cancelled while it waits with a priority',
      'invocations',
      { priority: 1 },
      (id) => cancelInvocation(queues, 'default', id),
    ],
    ['is cancelled while delayed', 'invocations', { delayMs: DAY_MS }, (id) => cancelInvocation(queues, 'default', id)],
    ['is cancelled while it is suspended', 'invocations', {}, cancelSuspended],
    ['is cancelled while it runs', 'invocations', {}, cancelRunning],
    ['kills its process twice', 'invocations', {}, killTwice],
    ['is removed', 'invocations', {}, (id) => queues.byName.invocations.remove(id)],
  ];

  it.each(ends)('A callback is delivered when the invocation %s', async (_how, queue, options, end) => {
    const receiver = new Receiver();
    await deliver(receiver.send);
    const id = await submit(options, queue);
    await end(id);
    await receiver.until(1);
    await eventually(async () => (await deliveriesOf(id))[0] === 'delivered');
    expect(receiver.got).toMatchObject([{ invocationId: id, id: `msg_${id.slice(4)}`, callback: CALLBACK }]);
    expect(await statusOf(id)).not.toBe('queued');
    expect(await statusOf(id)).not.toBe('running');
  });

  async function cancelSuspended(id: string): Promise<void> {
    await work(async () => {
      throw new SuspendJob(undefined, 'answer');
    });
    await eventually(async () => (await statusOf(id)) === 'waiting_external');
    expect(await deliveriesOf(id)).toEqual(['waiting']);
    await cancelInvocation(queues, 'default', id);
  }

  async function cancelRunning(id: string): Promise<void> {
    await work(async ({ signal }) => {
      await once(signal, 'abort');
      return succeed();
    });
    await eventually(async () => (await statusOf(id)) === 'running');
    await cancelInvocation(queues, 'default', id);
  }

  /**
   * The first death is written into the job. The second one happens here: a worker takes the job and never renews its
   * lock.
   */
  async function killTwice(id: string): Promise<void> {
    await queues.redis.hset(`{errand}:invocations:${id}`, 'stc', 1);
    const connection = { url: redis.url, maxRetriesPerRequest: null };
    const dead = new Worker('invocations', null, { connection, prefix: '{errand}', lockDuration: 100, autorun: false });
    await dead.getNextJob('dead');
    await dead.close();
    await work(succeed);
  }

  it('A callback is sent once for all attempts of the invocation, after the last one', async () => {
    const receiver = new Receiver();
    await deliver(receiver.send);
    let tries = 0;
    const id = await submit({ attempts: 3, backoff: { type: 'fixed', delayMs: 0 } });
    await work(async () => {
      if (++tries < 3) throw new ToolError('ServiceError', 'Not now');
      expect(await deliveriesOf(id)).toEqual(['waiting']);
      return succeed();
    });
    await receiver.until(1);
    expect(await statusOf(id)).toBe('succeeded');
  });
});

describe('A delivery', () => {
  const ended = async (url?: string): Promise<string> => {
    const id = await submit({}, 'invocations', url);
    await work(succeed);
    await eventually(async () => (await statusOf(id)) === 'succeeded');
    return id;
  };

  it('A delivery is retried until its schedule ends, then fails for good, and each attempt is kept', async () => {
    const id = await ended();
    const bodies: (string | undefined)[] = [];
    await deliver(async ({ body }) => {
      bodies.push(body);
      return FAILED;
    });
    await eventually(async () => (await deliveriesOf(id))[0] === 'failed');
    const [delivery] = await readDeliveries(queues, id);
    expect(delivery!.attempts).toHaveLength(3);
    expect(delivery!.attempts[0]).toMatchObject({ statusCode: 500, error: 'It answered 500' });
    expect(bodies).toEqual([undefined, '{}', '{}']);
  });

  it('A delivery ends at once if the receiver refuses it', async () => {
    const id = await ended();
    await deliver(async () => ({ ...FAILED, verdict: 'refused' }));
    await eventually(async () => (await deliveriesOf(id))[0] === 'failed');
    expect((await readDeliveries(queues, id))[0]!.attempts).toHaveLength(1);
  });

  it.each([
    ['its schedule allows it', [DAY_MS], undefined, DAY_MS],
    ['the receiver asks for it later than the schedule', [0], 3_600_000, 3_600_000],
    ['its schedule allows it later than the receiver asks', [DAY_MS], 1, DAY_MS],
    ['one day has passed although the receiver asks for a year', [0], 365 * DAY_MS, DAY_MS],
  ])('A failed delivery is retried when %s', async (_when, scheduleMs, retryAfterMs, expected) => {
    const id = await ended();
    const before = Date.now();
    await deliver(async () => ({ ...FAILED, ...(retryAfterMs !== undefined && { retryAfterMs }) }), { scheduleMs });
    const next = await eventually(async () => (await readDeliveries(queues, id))[0]!.nextAttemptAt ?? undefined);
    const dueIn = Date.parse(next) - before;
    expect(dueIn).toBeGreaterThanOrEqual(expected);
    expect(dueIn).toBeLessThan(expected + 60_000);
  });

  it("A delivery keeps no copy of the invocation's result", async () => {
    const id = await ended();
    expect(await queues.redis.keys('*:processed')).toEqual([]);
    const receiver = new Receiver();
    await deliver(receiver.send);
    await eventually(async () => (await deliveriesOf(id))[0] === 'delivered');
    expect(await queues.redis.keys('*:processed')).toEqual([]);
    expect(await queues.redis.keys('*:dependencies')).toEqual([]);
  });

  it('A repeated delivery is a new delivery with the same webhook-id', async () => {
    const id = await ended();
    const receiver = new Receiver();
    await deliver(receiver.send);
    await eventually(async () => (await deliveriesOf(id))[0] === 'delivered');
    expect(await redeliver(queues, id, 0)).toMatchObject({ id: `msg_${id.slice(4)}.1`, index: 1 });
    await receiver.until(2);
    await eventually(async () => (await deliveriesOf(id))[1] === 'delivered');
    const [first, second] = receiver.got;
    expect(second!.webhookId).toBe(first!.webhookId);
    expect(second!.id).not.toBe(first!.id);
  });

  it('A delivery cannot be repeated before the invocation has ended or if it does not exist', async () => {
    const id = await submit();
    expect(await redeliver(queues, id, 0)).toBe('waiting');
    expect(await redeliver(queues, id, 1)).toBeUndefined();
    expect(await redeliver(queues, newInvocationId(), 0)).toBeUndefined();
  });

  it('A delivery can be repeated 100 times', async () => {
    const id = await ended();
    await queues.redis.set(`{errand}:redeliveries:${id}`, 99);
    expect(await redeliver(queues, id, 0)).toMatchObject({ index: 100 });
    expect(await redeliver(queues, id, 0)).toBe('exhausted');
    expect(await redeliver(queues, id, 0)).toBe('exhausted');
    expect(await deliveriesOf(id)).toEqual(['pending', 'pending']);
  });

  it('An invocation that continues a previous run can read the callback of that run', async () => {
    expect(await readCallback(queues, await submit())).toEqual(CALLBACK);
    expect(await readCallback(queues, newInvocationId())).toBeUndefined();
  });

  it('A delivery of a dead process goes to another process, however often that happens', async () => {
    const id = await ended();
    await queues.redis.hset(`{errand}:deliveries:msg_${id.slice(4)}`, 'stc', 50);
    const connection = { url: redis.url, maxRetriesPerRequest: null };
    const options = { connection, prefix: '{errand}', lockDuration: 100, autorun: false };
    const dead = new Worker('deliveries', null, options, errandBackend({ isIndexed: false }));
    expect((await dead.getNextJob('dead'))?.id).toBe(`msg_${id.slice(4)}`);
    await dead.close();
    const receiver = new Receiver();
    await deliver(receiver.send);
    await receiver.until(1);
    await eventually(async () => (await deliveriesOf(id))[0] === 'delivered');
  });
});

describe('The receivers of callbacks', () => {
  it('A receiver gets a limited number of deliveries at a time, and deferred deliveries hold no slot', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(await submit({}, 'invocations', 'https://busy.example/'));
    ids.push(await submit({}, 'invocations', 'https://quick.example/'));
    await work(succeed);
    await eventually(async () => (await queues.deliveries.getWaitingCount()) === 21);
    const open: (() => void)[] = [];
    let most = 0;
    let now = 0;
    await deliver(
      async ({ callback }) => {
        if (callback.url.includes('quick')) return DELIVERED;
        most = Math.max(most, ++now);
        await new Promise<void>((resolve) => open.push(resolve));
        now--;
        return DELIVERED;
      },
      // The consumer has one slot more than the concurrency limit of the busy receiver.
      { concurrency: 4, perReceiver: () => 3 },
    );
    await eventually(async () => (await deliveriesOf(ids.at(-1)!))[0] === 'delivered');
    expect(now).toBe(3);
    await eventually(async () => (await queues.deliveries.getJobCountByTypes('delayed')) === 17);
    for (let n = 0; n < 20; n++) (await eventually(async () => open.shift()))();
    await eventually(async () => (await queues.deliveries.getJobCountByTypes('completed')) === 21);
    expect(most).toBe(3);
  });
});
